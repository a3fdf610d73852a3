import assert from 'node:assert/strict';
import { isExcludedNode, kindOf } from '../../../src/node/kind.ts';
import { aNode } from '../../support/node.ts';

const withId = (providerID: string, labels: Readonly<Record<string, string>> = {}) =>
  aNode('n', { spec: { providerID }, labels });

/** The kind decides whether the controller manages, ignores or deletes a Node. */
describe('the kind of a Node', () => {
  const cases: Record<string, [kind: string, node: ReturnType<typeof aNode>]> = {
    'with an instance': ['instance', withId('cn-hangzhou.i-1')],
    'with an instance in the community spelling': ['instance', withId('alicloud://cn-hangzhou.i-1')],
    'without a provider ID': ['unidentified', withId('')],
    'of virtual-kubelet': ['virtual', withId('', { type: 'virtual-kubelet' })],
    'of virtual-kubelet with the provider ID of an instance': [
      'virtual',
      withId('cn-hangzhou.i-1', { type: 'virtual-kubelet' }),
    ],
    'of another environment': ['unmanaged', withId('ack-hybrid://one')],
    'of LingJun': ['lingjun', withId('e01-one', { 'alibabacloud.com/lingjun-worker': 'true' })],
    'of LingJun in its own environment': [
      'unmanaged',
      withId('e01-one', {
        'alibabacloud.com/lingjun-worker': 'true',
        'alibabacloud.com/lingjun-tianwen-environment': '',
      }),
    ],
    'of another cloud': ['foreign', withId('aws:///eu-west-1a/i-1')],
    'with an address as provider ID': ['foreign', withId('10.111.0.5')],
  };
  for (const [title, [kind, node]] of Object.entries(cases)) {
    it(`${title} is ${kind}`, () => assert.equal(kindOf(node).kind, kind));
  }
});

describe('a Node', () => {
  const cases: Record<string, [excluded: boolean, node: ReturnType<typeof aNode>]> = {
    'with the exclude label is excluded': [
      true,
      aNode('n', { labels: { 'service.alibabacloud.com/exclude-node': 'true' } }),
    ],
    'with the exclude label and the value false is excluded': [
      true,
      aNode('n', { labels: { 'service.alibabacloud.com/exclude-node': 'false' } }),
    ],
    'with the deprecated exclude label is excluded': [
      true,
      aNode('n', { labels: { 'service.beta.kubernetes.io/exclude-node': '' } }),
    ],
    'of another environment is excluded': [true, withId('ack-hybrid://one')],
    'without an exclude label is not excluded': [false, aNode('n')],
  };
  for (const [title, [excluded, node]] of Object.entries(cases)) {
    it(title, () => assert.equal(isExcludedNode(node), excluded));
  }
});
