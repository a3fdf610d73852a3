import { setImmediate as nextTurn } from 'node:timers/promises';

const LINE_FEED = 0x0a;
/** The lines in a batch. A separate wait for each line costs a tenth of the time to read it. */
const BATCH = 64;
/** Milliseconds of work before the event loop serves other work: probes and admission reviews must not wait for a large list. */
const SLICE_MS = 8;

/**
 * Bytes read between garbage collections. The buffers lie outside the heap but count towards it, and only a collection of young objects frees them.
 * Without it, a large list with few kept objects triggers full collections again and again.
 */
const COLLECT_BYTES = 4_000_000;

const ALL = (): boolean => true;
/** Available only with --expose-gc, which the shipped Deployments set. */
const collectYoung = (): unknown => globalThis.gc?.({ type: 'minor' });

/**
 * Splits a stream of bytes at line feeds. Lets the event loop run between slices of work, and yields lines in batches without delay. Drops an
 * unfinished last line, and lines that `isWanted` rejects.
 */
export async function* lines(
  stream: AsyncIterable<Buffer>,
  isWanted: (line: Buffer) => boolean = ALL,
  collect: () => unknown = collectYoung,
): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = [];
  let sliceFrom = performance.now();
  let uncollected = 0;
  for await (const chunk of stream) {
    let batch: string[] = [];
    let from = 0;
    uncollected += chunk.length;
    if (uncollected > COLLECT_BYTES) {
      uncollected = 0;
      collect();
    }
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      const end = chunk.subarray(from, at);
      const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
      rest = [];
      from = at + 1;
      if (line.length > 0 && isWanted(line)) batch.push(line.toString('utf8'));
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
      if (performance.now() - sliceFrom < SLICE_MS) continue;
      await nextTurn();
      sliceFrom = performance.now();
    }
    if (batch.length > 0) yield batch;
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
}
