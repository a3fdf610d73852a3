import assert from 'node:assert/strict';
import { parseCloudConfig } from '../../../src/base/cloud-config.ts';
import { readControllerConfig } from '../../../src/controller/config.ts';
import { nodeSettings } from '../../../src/controller/from-config.ts';

describe('a new Node waits for its route', () => {
  const CLOUD = {
    ...parseCloudConfig('{"Global": {"vpcid": "vpc-1"}}', 'cloud-config').config,
    regionId: 'cn-hangzhou',
  };
  const waits = (flags: Readonly<Record<string, string>>): boolean =>
    nodeSettings(readControllerConfig(new Map(Object.entries({ 'cloud-config': '/c', ...flags }))), CLOUD).routes;
  const range = { 'cluster-cidr': '10.0.0.0/16' };

  const cases: Record<string, [flags: Readonly<Record<string, string>>, waits: boolean]> = {
    'where the range of the pods is known': [range, true],
    'also when another process makes the routes': [{ ...range, controllers: 'node' }, true],
    'unless no routes are to be made': [{ ...range, 'configure-cloud-routes': 'false' }, false],
    'unless there is no range': [{}, false],
  };
  for (const [sentence, [flags, expected]] of Object.entries(cases))
    it(sentence, () => assert.equal(waits(flags), expected));
});
