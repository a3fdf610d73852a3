/** A preload (`--import`) that shifts the wall clock of a webhook process by `SKEW_MS` milliseconds. A test checks the decisions of the webhook. */
const skewMs = Number(process.env['SKEW_MS'] ?? 0);
const rightNow = Date.now.bind(Date);

class SkewedDate extends Date {
  constructor(...parts: [] | [number | string | Date]) {
    super(parts[0] ?? rightNow() + skewMs);
  }

  static override now(): number {
    return rightNow() + skewMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
