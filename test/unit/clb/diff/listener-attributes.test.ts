import assert from 'node:assert/strict';
import { changedAttributes } from '../../../../src/clb/diff/listener-attributes.ts';

type Fields = Readonly<Record<string, unknown>>;
type DesiredFields = Parameters<typeof changedAttributes>[0];

/** Desired fields, observed fields, and expected changes. */
const cases: Readonly<Record<string, readonly [desired: DesiredFields, observed: Fields, changed: Fields]>> = {
  'a time-out that the cloud has raised to the interval is as it should be': [
    { protocol: 'http', healthCheckTimeout: 5 },
    { healthCheckTimeout: 10, healthCheckInterval: 10 },
    {},
  ],
  'a time-out that the cloud has left below the interval is as it should be': [
    { protocol: 'http', healthCheckTimeout: 5 },
    { healthCheckTimeout: 5, healthCheckInterval: 10 },
    {},
  ],
  'one of layer 4 that was left below an interval that is wanted too': [
    { protocol: 'tcp', healthCheckConnectTimeout: 5, healthCheckInterval: 10 },
    { healthCheckConnectTimeout: 5, healthCheckInterval: 10 },
    {},
  ],
  'a time-out that is still that of a longer interval is set again': [
    { protocol: 'tcp', healthCheckConnectTimeout: 5, healthCheckInterval: 2 },
    { healthCheckConnectTimeout: 10, healthCheckInterval: 10 },
    { healthCheckConnectTimeout: 5, healthCheckInterval: 2 },
  ],
  'a time-out that the cloud has raised goes back with the interval, where nobody asks for one': [
    { protocol: 'tcp', healthCheckInterval: 2 },
    { healthCheckConnectTimeout: 50, healthCheckInterval: 50 },
    { healthCheckInterval: 2, healthCheckConnectTimeout: 5 },
  ],
  'one of UDP goes back to what UDP has': [
    { protocol: 'udp', healthCheckInterval: 5 },
    { healthCheckConnectTimeout: 50, healthCheckInterval: 50 },
    { healthCheckInterval: 5, healthCheckConnectTimeout: 10 },
  ],
  'one goes no further back than to the interval': [
    { protocol: 'https', healthCheckInterval: 8 },
    { healthCheckTimeout: 50, healthCheckInterval: 50 },
    { healthCheckInterval: 8, healthCheckTimeout: 8 },
  ],
  'one that people have set stays': [
    { protocol: 'http', healthCheckInterval: 2 },
    { healthCheckTimeout: 60, healthCheckInterval: 50 },
    { healthCheckInterval: 2 },
  ],
  'one that is no longer than a new listener has stays': [
    { protocol: 'tcp', healthCheckInterval: 2 },
    { healthCheckConnectTimeout: 5, healthCheckInterval: 5 },
    { healthCheckInterval: 2 },
  ],
  'a time-out that is another is set': [
    { protocol: 'http', healthCheckTimeout: 20 },
    { healthCheckTimeout: 5, healthCheckInterval: 10 },
    { healthCheckTimeout: 20 },
  ],
};

describe('the attributes of a listener that differ', () => {
  for (const [sentence, [desired, observed, changed]] of Object.entries(cases))
    it(sentence, () => assert.deepEqual(changedAttributes(desired, observed), changed));
});
