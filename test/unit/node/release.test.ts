import assert from 'node:assert/strict';
import { hasWaitedTooLong } from '../../../src/node/release.ts';
import { aNode } from '../../support/node.ts';

const HERE = { routes: true, regionId: 'cn-hangzhou' };
const EXCLUDED = { 'service.alibabacloud.com/exclude-node': '' };

const judged = (
  { labels = {}, providerID = 'cn-hangzhou.i-a', status = 'True', reason = 'NoRouteCreated' } = {},
  settings = HERE,
): boolean => {
  const condition = { type: 'NetworkUnavailable', status, reason };
  return hasWaitedTooLong(aNode('a', { labels, spec: { providerID }, conditions: [condition] }), settings);
};
const off = { ...HERE, routes: false };

describe('a Node waits in vain for a route', () => {
  const cases: Record<string, [actual: boolean, expected: boolean]> = {
    'not while one is made': [judged(), false],
    'when it is excluded': [judged({ labels: EXCLUDED }), true],
    'when it has become a virtual one': [judged({ labels: { type: 'virtual-kubelet' } }), true],
    'not when somebody else makes its route, in another region': [
      judged({ labels: EXCLUDED, providerID: 'cn-beijing.i-a' }),
      false,
    ],
    'not when somebody else makes its route, in another cloud': [
      judged({ labels: EXCLUDED, providerID: 'aws:///a/i-a' }),
      false,
    ],
    'not when it is available': [judged({ labels: EXCLUDED, status: 'False' }), false],
    'not when a network plugin keeps pods away': [judged({ labels: EXCLUDED, reason: 'CalicoIsDown' }), false],
    'when routes are switched off': [judged({}, off), true],
    'when routes are switched off, whatever it is': [judged({ providerID: 'aws:///a/i-a' }, off), true],
    'not when routes are switched off and a network plugin keeps pods away': [
      judged({ reason: 'CalicoIsDown' }, off),
      false,
    ],
  };
  for (const [sentence, [actual, expected]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(actual, expected));
  }
});
