import assert from 'node:assert/strict';
import { whyUnrouted } from '../../../src/node/no-route-reason.ts';
import { aNode } from '../../support/node.ts';

const HERE = { routes: true, regionId: 'cn-hangzhou' };
const EXCLUDED = { 'service.alibabacloud.com/exclude-node': '' };

const releaseReason = (
  { labels = {}, providerID = 'cn-hangzhou.i-a', status = 'True', reason = 'NoRouteCreated' } = {},
  settings = HERE,
): string | undefined => {
  const condition = { type: 'NetworkUnavailable', status, reason };
  return whyUnrouted(aNode('a', { labels, spec: { providerID }, conditions: [condition] }), settings);
};
const BY_LABEL =
  'The Node has the label service.alibabacloud.com/exclude-node or service.beta.kubernetes.io/exclude-node, so the controller creates no route';
const WITHOUT_ROUTES = 'The controller does not manage routes';
const off = { ...HERE, routes: false };

/** A Node that waits for a route accepts no pods, so it must be released, with the reason, if no controller creates the route. */
describe('a Node that waits for a route', () => {
  const cases: Record<string, [actual: string | undefined, expected: string | undefined]> = {
    'is not released while a controller creates routes': [releaseReason(), undefined],
    'is released if it is excluded': [releaseReason({ labels: EXCLUDED }), BY_LABEL],
    'is released if it became virtual': [
      releaseReason({ labels: { type: 'virtual-kubelet' } }),
      'The Node is virtual, so the controller creates no route',
    ],
    'is not released if it is in another region, where another controller creates its route': [
      releaseReason({ labels: EXCLUDED, providerID: 'cn-beijing.i-a' }),
      undefined,
    ],
    'is not released if it is in another cloud, where another controller creates its route': [
      releaseReason({ labels: EXCLUDED, providerID: 'aws:///a/i-a' }),
      undefined,
    ],
    'is not released if it is available': [releaseReason({ labels: EXCLUDED, status: 'False' }), undefined],
    'is not released if a network plugin keeps pods away': [
      releaseReason({ labels: EXCLUDED, reason: 'CalicoIsDown' }),
      undefined,
    ],
    'is released if routes are disabled': [releaseReason({}, off), WITHOUT_ROUTES],
    'is released if routes are disabled, even if excluded': [releaseReason({ labels: EXCLUDED }, off), WITHOUT_ROUTES],
    'is released if routes are disabled, for any kind': [
      releaseReason({ providerID: 'aws:///a/i-a' }, off),
      WITHOUT_ROUTES,
    ],
    'is not released if routes are disabled and a network plugin keeps pods away': [
      releaseReason({ reason: 'CalicoIsDown' }, off),
      undefined,
    ],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }
});
