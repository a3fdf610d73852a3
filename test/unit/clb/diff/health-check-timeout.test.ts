import assert from 'node:assert/strict';
import { changedAttributes } from '../../../../src/clb/diff/listener-attributes.ts';

type Fields = Readonly<Record<string, unknown>>;
type DesiredFields = Parameters<typeof changedAttributes>[0];

/** Desired fields, observed fields, and expected changes. */
const cases: Readonly<Record<string, readonly [desired: DesiredFields, observed: Fields, changed: Fields]>> = {
  'left unchanged if the cloud raised the timeout to the interval': [
    { protocol: 'http', healthCheckTimeout: 5 },
    { healthCheckTimeout: 10, healthCheckInterval: 10 },
    {},
  ],
  'left unchanged if it has the requested value below the interval': [
    { protocol: 'http', healthCheckTimeout: 5 },
    { healthCheckTimeout: 5, healthCheckInterval: 10 },
    {},
  ],
  'left unchanged for layer 4 if it is below the requested interval': [
    { protocol: 'tcp', healthCheckConnectTimeout: 5, healthCheckInterval: 10 },
    { healthCheckConnectTimeout: 5, healthCheckInterval: 10 },
    {},
  ],
  'set to the requested value if the cloud raised it to the previous, longer interval': [
    { protocol: 'tcp', healthCheckConnectTimeout: 5, healthCheckInterval: 2 },
    { healthCheckConnectTimeout: 10, healthCheckInterval: 10 },
    { healthCheckConnectTimeout: 5, healthCheckInterval: 2 },
  ],
  'reset together with the interval if the cloud raised it and no annotation sets it': [
    { protocol: 'tcp', healthCheckInterval: 2 },
    { healthCheckConnectTimeout: 50, healthCheckInterval: 50 },
    { healthCheckInterval: 2, healthCheckConnectTimeout: 5 },
  ],
  'reset for UDP to the default of UDP': [
    { protocol: 'udp', healthCheckInterval: 5 },
    { healthCheckConnectTimeout: 50, healthCheckInterval: 50 },
    { healthCheckInterval: 5, healthCheckConnectTimeout: 10 },
  ],
  'reset at most to the interval': [
    { protocol: 'https', healthCheckInterval: 8 },
    { healthCheckTimeout: 50, healthCheckInterval: 50 },
    { healthCheckInterval: 8, healthCheckTimeout: 8 },
  ],
  'kept if a user set the timeout': [
    { protocol: 'http', healthCheckInterval: 2 },
    { healthCheckTimeout: 60, healthCheckInterval: 50 },
    { healthCheckInterval: 2 },
  ],
  'kept if the timeout is at most the default of a new listener': [
    { protocol: 'tcp', healthCheckInterval: 2 },
    { healthCheckConnectTimeout: 5, healthCheckInterval: 5 },
    { healthCheckInterval: 2 },
  ],
  'set if the annotation has another timeout': [
    { protocol: 'http', healthCheckTimeout: 20 },
    { healthCheckTimeout: 5, healthCheckInterval: 10 },
    { healthCheckTimeout: 20 },
  ],
};

/** The cloud raises a timeout below the interval to the interval, so a plan that ignores this would change the timeout in every sync. */
describe('a health check timeout is', () => {
  for (const [title, [desired, observed, changed]] of Object.entries(cases))
    it(title, () => assert.deepEqual(changedAttributes(desired, observed), changed));
});
