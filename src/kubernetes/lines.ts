import { setImmediate as nextTurn } from 'node:timers/promises';

const LINE_FEED = 0x0a;
/** Milliseconds of work after which others get a turn: probes and admission reviews must not wait for a big list. */
const SLICE_MS = 8;

const ALL = (): boolean => true;

/**
 * Splits a stream of bytes at line feeds, and leaves the event loop free between slices of work. An unfinished last line is dropped, and so
 * are lines that `isWanted` does not want.
 */
export async function* lines(
  stream: AsyncIterable<Buffer>,
  isWanted: (line: Buffer) => boolean = ALL,
): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let sliceFrom = performance.now();
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      const end = chunk.subarray(from, at);
      const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
      rest = [];
      from = at + 1;
      if (line.length > 0 && isWanted(line)) yield line.toString('utf8');
      if (performance.now() - sliceFrom < SLICE_MS) continue;
      await nextTurn();
      sliceFrom = performance.now();
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
}
