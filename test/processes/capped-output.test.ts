import { describe, expect, test } from "vitest";
import { CappedHead, CappedTail } from "../../src/processes/capped-output.ts";

describe("CappedHead", () => {
  test("takes exactly as much as its limit", () => {
    const head = new CappedHead(6);
    expect(head.take(Buffer.from("abc"))).toBe(true);
    expect(head.take(Buffer.from("def"))).toBe(true);
    expect(head.text()).toBe("abcdef");
  });

  test("rejects one byte more, and discards its content", () => {
    const head = new CappedHead(6);
    head.take(Buffer.from("abcdef"));
    expect(head.take(Buffer.from("g"))).toBe(false);
    expect(head.bytes).toBe(7);
    expect(head.text()).toBe("");
  });

  test("joins a character that came in two chunks", () => {
    const head = new CappedHead(10);
    const euro = Buffer.from("€");
    head.take(euro.subarray(0, 1));
    head.take(euro.subarray(1));
    expect(head.text()).toBe("€");
  });

  test.each([[[0xff]], [[0xc0, 0x80]], [[0xe2, 0x82]], [[0xed, 0xa0, 0x80]]])(
    "rejects bytes that are not UTF-8: %j",
    (bytes) => {
      const head = new CappedHead(10);
      head.take(Buffer.from(bytes));
      expect(head.text()).toBeUndefined();
    },
  );
});

describe("CappedTail", () => {
  test("keeps the end", () => {
    const tail = new CappedTail(5);
    for (const chunk of ["first ", "second ", "third"]) tail.take(Buffer.from(chunk));
    expect(tail.text()).toBe("third");
  });

  test("keeps everything up to its limit", () => {
    const tail = new CappedTail(5);
    tail.take(Buffer.from("12345"));
    expect(tail.text()).toBe("12345");
  });

  test("drops the rest of a character that was cut", () => {
    const tail = new CappedTail(5);
    tail.take(Buffer.from("€€")); // six bytes, of which the cut takes one
    expect(tail.text()).toBe("€");
  });

  test("accepts invalid bytes", () => {
    const tail = new CappedTail(5);
    tail.take(Buffer.from([0x80, 0x41]));
    expect(tail.text()).toBe("\ufffdA");
  });

  test("keeps little of a flood of tiny and of huge writes", () => {
    const before = process.memoryUsage().arrayBuffers;
    const tail = new CappedTail(1024);
    const huge = Buffer.alloc(1024 * 1024, "x");
    for (let count = 0; count < 100_000; count += 1) tail.take(Buffer.from("y"));
    for (let count = 0; count < 200; count += 1) tail.take(huge);
    tail.take(Buffer.from("the end"));
    expect(tail.text()).toMatch(/^x{1017}the end$/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024);
  });
});
