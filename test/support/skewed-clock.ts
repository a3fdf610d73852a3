/** Preloaded into a process whose wall clock is to be wrong: by `SKEW_MS` milliseconds, from its first instant on. */
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
