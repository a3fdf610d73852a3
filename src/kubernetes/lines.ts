import { setImmediate as nextTurn } from 'node:timers/promises';

const LINE_FEED = 0x0a;
/** Lines that are handed over at a time: waiting for each alone costs a tenth of what reading it does. */
const BATCH = 64;
/** Milliseconds of work after which others get a turn: probes and admission reviews must not wait for a big list. */
const SLICE_MS = 8;

/**
 * Bytes after which those that have been read are collected. They lie outside of the heap, where they count as if they were in it, but go only
 * with the young objects in it: from a large list of which little is kept, the whole heap would be marked again and again.
 */
const COLLECT_BYTES = 4_000_000;

const ALL = (): boolean => true;
/** There only with --expose-gc, which the shipped Deployments set. */
const collectYoung = (): unknown => globalThis.gc?.({ type: 'minor' });

/**
 * Splits a stream of bytes at line feeds, and leaves the event loop free between slices of work. Lines come in batches, each as soon as it has
 * come. An unfinished last line is dropped, and so are lines that `isWanted` does not want.
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
