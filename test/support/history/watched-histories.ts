import { assertHistory } from './check.ts';
import { Recorder } from './recorder.ts';

const open = new Set<Recorder>();

/** Benchmarks build clusters too, and have no tests that could fail. */
const afterEachTest = Reflect.get(globalThis, 'afterEach') as typeof afterEach | undefined;

/** A test whose cluster was left running is judged all the same. */
afterEachTest?.(() => {
  const left = [...open];
  open.clear();
  for (const recorder of left) assertHistory(recorder.history);
});

/** A recorder whose history is judged when a controller has stopped, else at the end of the test. */
export function watchedHistory(): {
  readonly recorder: Recorder;
  readonly started: () => void;
  readonly stopped: () => void;
} {
  const recorder = new Recorder();
  return {
    recorder,
    started: () => {
      if (afterEachTest !== undefined) open.add(recorder);
      recorder.started();
    },
    stopped: () => {
      open.delete(recorder);
      assertHistory(recorder.history);
    },
  };
}
