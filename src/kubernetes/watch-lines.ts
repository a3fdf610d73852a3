import { setImmediate as nextTurn } from 'node:timers/promises';

const LINE_FEED = 0x0a;
/** The maximum number of lines in a batch. A wait for each single line would add a tenth to the reading time. */
const BATCH = 64;
/** The time of reading, in milliseconds, after which the event loop gets a turn for probes and admission reviews. */
const SLICE_MS = 8;

/**
 * The bytes after which young objects are garbage-collected. Without these collections, the buffers of a large list cause repeated full collections.
 */
const COLLECT_BYTES = 4_000_000;

const ALL = (): boolean => true;
/** Collects young objects. Does nothing without `--expose-gc`, which the shipped Deployments set. */
const collectYoung = (): unknown => globalThis.gc?.({ type: 'minor' });

/** Splits the stream of a watch into lines, each an event. Drops lines that `isWanted` rejects, and an unfinished last line. */
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
