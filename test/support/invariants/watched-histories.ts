import { assertHistory, USUAL } from './history-check.ts';
import type { RunSettings } from './moment.ts';
import { Recorder } from './recorder.ts';

const open = new Map<Recorder, RunSettings>();

/** Undefined in benchmarks, which start clusters without tests. */
const afterEachTest = Reflect.get(globalThis, 'afterEach') as typeof afterEach | undefined;

/** Checks clusters that a test left running. */
afterEachTest?.(() => {
  const left = [...open];
  open.clear();
  for (const [recorder, settings] of left) assertHistory(recorder.history, settings);
});

/** Returns a recorder whose history is checked when a controller stops, or at the end of the test. */
export function watchedHistory(overrides: Partial<RunSettings> = {}): {
  readonly recorder: Recorder;
  readonly started: () => void;
  readonly stopped: () => void;
} {
  const recorder = new Recorder();
  const settings = { ...USUAL, ...overrides };
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
