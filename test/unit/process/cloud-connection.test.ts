import assert from 'node:assert/strict';
import { parseCloudConfig } from '../../../src/base/cloud-config.ts';
import { settingsOf } from '../../../src/process/cloud-connection.ts';

const settings = (featureGates: string) =>
  settingsOf(parseCloudConfig(JSON.stringify({ Global: { clusterID: 'c1', featureGates } }), 'cloud.conf').config);

/** IPv6 backends need two feature gates, and an event that names an enabled gate would mislead users. */
describe('the disabled feature gates for IPv6 backends', () => {
  const rows: Readonly<Record<string, readonly [featureGates: string, disabled: readonly string[]]>> = {
    'are IPv6DualStack by default': ['EndpointSlice=true', ['IPv6DualStack']],
    'are none if both gates are on': ['IPv6DualStack=true', []],
    'are EndpointSlice if only that gate is off': ['IPv6DualStack=true,EndpointSlice=false', ['EndpointSlice']],
    'are both gates if both are off': ['EndpointSlice=false', ['IPv6DualStack', 'EndpointSlice']],
  };
  for (const [title, [featureGates, disabled]] of Object.entries(rows))
    it(title, () => assert.deepEqual(settings(featureGates).disabledIpv6Gates, disabled));
});
