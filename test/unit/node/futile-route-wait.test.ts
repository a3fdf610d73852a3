import assert from 'node:assert/strict';
import { waitsForever } from '../../../src/node/futile-route-wait.ts';
import { aNode } from '../../support/node.ts';

const HERE = { routes: true, regionId: 'cn-hangzhou' };
const EXCLUDED = { 'service.alibabacloud.com/exclude-node': '' };

const isReleased = (
  { labels = {}, providerID = 'cn-hangzhou.i-a', status = 'True', reason = 'NoRouteCreated' } = {},
  settings = HERE,
): boolean => {
  const condition = { type: 'NetworkUnavailable', status, reason };
  return waitsForever(aNode('a', { labels, spec: { providerID }, conditions: [condition] }), settings);
};
const off = { ...HERE, routes: false };

/** A Node that waits for a route that no controller creates never accepts pods. */
describe('a Node that waits for a route', () => {
  const cases: Record<string, [actual: boolean, expected: boolean]> = {
    'is not released while a controller creates routes': [isReleased(), false],
    'is released if it is excluded': [isReleased({ labels: EXCLUDED }), true],
    'is released if it became virtual': [isReleased({ labels: { type: 'virtual-kubelet' } }), true],
    'is not released if another controller creates its route, in another region': [
      isReleased({ labels: EXCLUDED, providerID: 'cn-beijing.i-a' }),
      false,
    ],
    'is not released if another controller creates its route, in another cloud': [
      isReleased({ labels: EXCLUDED, providerID: 'aws:///a/i-a' }),
      false,
    ],
    'is not released if it is available': [isReleased({ labels: EXCLUDED, status: 'False' }), false],
    'is not released if a network plugin keeps pods away': [
      isReleased({ labels: EXCLUDED, reason: 'CalicoIsDown' }),
      false,
    ],
    'is released if routes are disabled': [isReleased({}, off), true],
    'is released if routes are disabled, for any kind': [isReleased({ providerID: 'aws:///a/i-a' }, off), true],
    'is not released if routes are disabled and a network plugin keeps pods away': [
      isReleased({ reason: 'CalicoIsDown' }, off),
      false,
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }
});
