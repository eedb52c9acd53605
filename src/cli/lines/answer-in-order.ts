/**
 * Answers at most `most` questions in parallel, and passes the answers to `write` in the order of the questions. Reads
 * no further question while `most` answers are open. Stops reading when the questions end or `enough` resolves.
 * Resolves when all open questions are answered. `answer` must not reject.
 */
export async function answerInOrder<Question, Answer>(
  questions: AsyncIterator<Question>,
  answer: (question: Question) => Promise<Answer>,
  write: (answer: Answer) => void,
  { most, enough }: { readonly most: number; readonly enough: Promise<void> },
): Promise<void> {
  const next = untilEnough(questions, enough);
  const open: Promise<void>[] = [];
  let last = Promise.resolve();
  try {
    for (let question = await next(); question !== undefined; question = await next()) {
      const [answered, before] = [answer(question.value), last];
      last = before.then(async () => write(await answered));
      open.push(last);
      if (open.length >= most) await open.shift();
    }
  } finally {
    await last;
  }
}

/** Returns a function that reads the next question, or `undefined` after the last question or after `enough`. */
function untilEnough<Question>(
  questions: AsyncIterator<Question>,
  enough: Promise<void>,
): () => Promise<{ readonly value: Question } | undefined> {
  let isOver = false;
  // `enough` gets a single listener, because a listener for each question would stay as long as the process.
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
