import assert from 'node:assert/strict';
import { parseCloudConfig } from '../../../src/base/cloud-config.ts';
import { readControllerConfig } from '../../../src/controller/config-from-flags.ts';
import { nodeSettings } from '../../../src/controller/node-and-route-settings.ts';

/** A Node that waits for a route that no controller creates would never accept pods. */
describe('a new Node waits for its route', () => {
  const CLOUD = {
    ...parseCloudConfig('{"Global": {"vpcid": "vpc-1"}}', 'cloud-config').config,
    regionId: 'cn-hangzhou',
  };
  const waits = (flags: Readonly<Record<string, string>>): boolean =>
    nodeSettings(readControllerConfig(new Map(Object.entries({ 'cloud-config': '/c', ...flags }))), CLOUD).routes;
  const range = { 'cluster-cidr': '10.0.0.0/16' };

  const cases: Record<string, [flags: Readonly<Record<string, string>>, waits: boolean]> = {
    'if the pod range is known': [range, true],
    'even if another process creates the routes': [{ ...range, controllers: 'node' }, true],
    'unless routes are disabled': [{ ...range, 'configure-cloud-routes': 'false' }, false],
    'only if a range is set': [{}, false],
  };
  for (const [title, [flags, expected]] of Object.entries(cases)) it(title, () => assert.equal(waits(flags), expected));
});
