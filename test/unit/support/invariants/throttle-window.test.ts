import { called, testInvariant, STARTED } from '../../../support/invariants/history-builders.ts';
import { throttleWindow } from '../../../support/invariants/invariants/throttle-window.ts';

const group = (at: number, outcome = 'OK') => called('CreateVServerGroup', { at, outcome });
const THROTTLED = 'Throttling.User';

/** The cloud closes a throttled API for longer if calls continue. */
testInvariant(throttleWindow, {
  keep: {
    'the next call waits for the next window': [...group(10, THROTTLED), ...group(60)],
    'two calls are sent at the same time': [...group(10, THROTTLED), ...group(10)],
    'another API is called': [...group(10, THROTTLED), ...called('DeleteVServerGroup', { at: 11 })],
    'a new process does not know the previous calls': [...group(10, THROTTLED), STARTED, ...group(12)],
    'an API with a window of one second is called a second later': [
      ...called('TagResources', { at: 1, outcome: THROTTLED }),
      ...called('TagResources', { at: 2 }),
    ],
  },
  break: {
    'the same API is called immediately': [...group(10, THROTTLED), ...group(11)],
    'the API is called just before the window ends': [...group(10, THROTTLED), ...group(59)],
  },
});
