import assert from 'node:assert/strict';
import {
  defaultLoadBalancerName,
  isOwnName,
  isReservedTag,
  listenerName,
  ownerTags,
  parseName,
} from '../../../../src/clb/model/naming.ts';
import { OWNER, OWN_NAME } from '../../../support/clb-objects.ts';

/** Names and tags prove who owns a resource, so a wrong reading could lead to the deletion of another owner's resource. */
describe('names in the cloud', () => {
  it('truncate the default name of a load balancer to 32 characters', () =>
    assert.equal(defaultLoadBalancerName(OWNER.uid), OWN_NAME));

  it('contain port, Service, namespace and cluster for a listener', () =>
    assert.equal(listenerName(OWNER, 80), 'k8s/80/web/shop/c1'));

  const texts: Record<string, [text: string, isOwn: boolean, isName: boolean]> = {
    'owned, with any port': ['k8s/8080/web/shop/c1', true, true],
    "another Service's": ['k8s/80/api/shop/c1', false, true],
    "another namespace's": ['k8s/80/web/bank/c1', false, true],
    "another cluster's": ['k8s/80/web/shop/c2', false, true],
    "a user's": ['my listener', false, false],
    'too long for the scheme': ['k8s/80/web/shop/c1/x', false, false],
    'too short for the scheme': ['k8s/80/web/shop', false, false],
  };
  for (const [title, [text, isOwn, isName]] of Object.entries(texts)) {
    it(`are recognized as ${title}`, () => {
      assert.equal(isOwnName(OWNER, text), isOwn);
      assert.equal(parseName(text) !== undefined, isName);
    });
  }
});

describe('tags in the cloud', () => {
  it('record the owner and the cluster of a load balancer', () =>
    assert.deepEqual(ownerTags(OWNER), { 'kubernetes.do.not.delete': OWN_NAME, 'ack.aliyun.com': 'c1' }));

  it('are reserved for the controller and the cloud, except tags of users', () => {
    const keys = ['acs:rm', 'kubernetes.do.not.delete', 'ack.aliyun.com', 'kubernetes.reused.by.user', 'team'];
    assert.deepEqual(keys.map(isReservedTag), [true, true, true, true, false]);
  });
});
