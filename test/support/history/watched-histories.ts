import { assertHistory, USUAL } from './check.ts';
import type { RunSettings } from './moment.ts';
import { Recorder } from './recorder.ts';

const open = new Map<Recorder, RunSettings>();

/** Benchmarks build clusters too, and have no tests that could fail. */
const afterEachTest = Reflect.get(globalThis, 'afterEach') as typeof afterEach | undefined;

/** A test whose cluster was left running is judged all the same. */
afterEachTest?.(() => {
  const left = [...open];
  open.clear();
  for (const [recorder, settings] of left) assertHistory(recorder.history, settings);
});

/** A recorder whose history is judged when a controller has stopped, else at the end of the test. */
export function watchedHistory(said: Partial<RunSettings> = {}): {
  readonly recorder: Recorder;
  readonly started: () => void;
  readonly stopped: () => void;
} {
  const recorder = new Recorder();
  const settings = { ...USUAL, ...said };
  return {
    recorder,
    started: () => {
      if (afterEachTest !== undefined) open.set(recorder, settings);
      recorder.started();
    },
    stopped: () => {
      open.delete(recorder);
      assertHistory(recorder.history, settings);
    },
  };
}
