/**
 * Answers questions side by side, so many at a time, and tells the answers in the order of the questions. Whoever does
 * not read answers is not read from either. Resolves when the questions have ended, or somebody has had enough, and
 * what was begun is answered. `answer` must not reject.
 */
export async function answerInOrder<Question, Answer>(
  questions: AsyncIterator<Question>,
  answer: (question: Question) => Promise<Answer>,
  tell: (answer: Answer) => void,
  { most, enough }: { readonly most: number; readonly enough: Promise<void> },
): Promise<void> {
  const next = untilEnough(questions, enough);
  const open: Promise<void>[] = [];
  let last = Promise.resolve();
  try {
    for (let question = await next(); question !== undefined; question = await next()) {
      const [answered, before] = [answer(question.value), last];
      last = before.then(async () => tell(await answered));
      open.push(last);
      if (open.length >= most) await open.shift();
    }
  } finally {
    await last;
  }
}

/** The next question; `undefined` when there is none, or none is wanted any more. */
function untilEnough<Question>(
  questions: AsyncIterator<Question>,
  enough: Promise<void>,
): () => Promise<{ readonly value: Question } | undefined> {
  let isOver = false;
  // One promise that lives as long as the process must not collect a listener for each question.
  let stop = (): void => {};
  void enough.then(() => {
    isOver = true;
    stop();
  });
  return () =>
    new Promise((resolve, reject) => {
      if (isOver) return resolve(undefined);
      stop = () => resolve(undefined);
      questions.next().then((next) => resolve(next.done === true ? undefined : { value: next.value }), reject);
    });
}
