import { Utf8Decoder } from "./utf8.ts";

/** Names of UTF-8 in the Encoding standard. Other encodings are not supported. */
const LABELS = ["unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "utf-8", "utf8", "x-unicode20utf8"];

/** Decodes UTF-8 to text, as the Encoding standard says. */
export class TextDecoder {
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  #decoder = new Utf8Decoder();
  #isInside = false;
  #atStart = true;

  /** @throws RangeError for an encoding other than UTF-8 */
  constructor(label = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const name = String(label)
      .replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "")
      .toLowerCase();
    if (!LABELS.includes(name)) throw new RangeError(`TextDecoder: a guard supports only utf-8, not ${name}`);
    this.fatal = Boolean(options?.fatal);
    this.ignoreBOM = Boolean(options?.ignoreBOM);
  }

  get encoding(): "utf-8" {
    return "utf-8";
  }

  /** @throws TypeError for bytes that are not UTF-8, if `fatal` is set */
  decode(input?: ArrayBuffer | ArrayBufferView, options: { stream?: boolean } = {}): string {
    if (!this.#isInside) {
      this.#decoder = new Utf8Decoder();
      this.#atStart = true;
    }
    this.#isInside = Boolean(options?.stream);
    const text = this.#decoder.decode(bytesOf(input), !this.#isInside, this.fatal);
    if (text === undefined) {
      this.#isInside = false;
      throw new TypeError("The encoded data was not valid for encoding utf-8");
    }
    if (text === "" || !this.#atStart) return text;
    this.#atStart = false;
    return !this.ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

function bytesOf(input: ArrayBuffer | ArrayBufferView | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0);
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  throw new TypeError("TextDecoder: expected an ArrayBuffer or a view of one");
}
