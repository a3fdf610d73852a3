import mocha from 'mocha';
import { inspect } from 'node:util';
import type { Message } from './message.ts';

const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING, EVENT_RUN_END } = mocha.Runner.constants;

/** Milliseconds until the list of open handles is written. The runner ends a lingering process later. */
const REPORT_OPEN_MS = 5_000;

const send = (message: Message): void => {
  process.send?.(message);
};

/** The mocha reporter of the runner's child processes. Sends results to the parent and prints nothing. */
export default class Reporter extends mocha.reporters.Base {
  constructor(runner: Mocha.Runner) {
    super(runner);
    runner.on(EVENT_TEST_PASS, (test) => send({ kind: 'pass', title: test.fullTitle(), ms: test.duration ?? 0 }));
    runner.on(EVENT_TEST_PENDING, (test) => send({ kind: 'skip', title: test.fullTitle() }));
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) =>
      send({ kind: 'fail', title: test.fullTitle(), file: test.file ?? '', detail: detailOf(error) }),
    );
    runner.once(EVENT_RUN_END, () => {
      send({ kind: 'end' });
      setTimeout(reportOpenHandles, REPORT_OPEN_MS).unref();
    });
  }
}

/** Writes the open handles, including the IPC channel, to the suite's log. The runner prints the end of the log for a suite that it ends. */
function reportOpenHandles(): void {
  const open = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
  const counts = open.map(([kind, of = []]) => `${of.length} ${kind}`);
  process.stderr.write(`${REPORT_OPEN_MS / 1_000} s after the last test there are still open: ${counts.join(', ')}\n`);
}

/** Returns the stack, which contains the message and mostly the difference, with the chain of causes. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const own = error.stack?.includes(error.message) === true ? error.stack : `${error.message}\n${error.stack ?? ''}`;
  return error.cause === undefined ? own : `${own}\ncaused by: ${detailOf(error.cause)}`;
}
