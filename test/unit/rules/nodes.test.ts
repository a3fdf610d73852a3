import assert from 'node:assert/strict';
import { wellKnownOfKind } from '../../../src/annotation/well-known-names.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { aFacts, type FactsInput } from '../../support/facts.ts';
import { manifestsOf } from '../../support/manifests.ts';
import { aNode } from '../../support/node.ts';
import { aReview } from '../../support/review.ts';

interface NodeInput {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
}
interface Row {
  readonly node: NodeInput;
  /** The stored Node. Undefined on registration. */
  readonly before?: NodeInput;
  readonly facts?: FactsInput;
  readonly username?: string;
  readonly groups?: readonly string[];
  /** Findings `rule field=found`. An exclamation mark marks a denial. */
  readonly finds: readonly string[];
}

const ID = (providerID: string): NodeInput => ({ spec: { providerID } });
const NO_ID = ID('');
const RANGE = (...podCIDRs: string[]): NodeInput => ({ spec: { podCIDR: podCIDRs[0] ?? '', podCIDRs } });
const LABELS = (labels: Record<string, string>): NodeInput => ({ labels });

const EXCLUDE = 'service.alibabacloud.com/exclude-node';
const OLD_EXCLUDE = 'service.beta.kubernetes.io/exclude-node';
const BACKEND = 'node.kubernetes.io/exclude-from-external-load-balancers';
const OLD_BACKEND = 'alpha.service-controller.kubernetes.io/exclude-balancer';
const ZONE = 'topology.kubernetes.io/zone';

const wrongId = (id: string, by = ''): string => `provider-id spec.providerID=${id}${by}`;

const ROWS: Record<string, Row> = {
  'a provider ID of region and instance': { node: ID('cn-hangzhou.i-1'), finds: [] },
  'a provider ID with the scheme before it': { node: ID('alicloud://cn-hangzhou.i-1'), finds: [] },
  'a provider ID in the general form of Kubernetes': { node: ID('alicloud:///cn-hangzhou/i-1'), finds: [] },
  'a node that waits for its provider ID': { node: NO_ID, finds: [] },
  'a node that registers with a provider ID without a region': { node: ID('i-1'), finds: [wrongId('i-1')] },
  'a node that registers with an address as provider ID': { node: ID('10.1.2.3'), finds: [wrongId('10.1.2.3')] },
  'a user who sets an invalid provider ID': {
    before: NO_ID,
    node: ID('alicloud://i-1'),
    finds: [wrongId('alicloud://i-1', '!')],
  },
  'a user who sets a valid provider ID': { before: NO_ID, node: ID('cn-hangzhou.i-1'), finds: [] },
  'a user who edits a node with an invalid stored provider ID': {
    before: ID('i-1'),
    node: { ...ID('i-1'), labels: { [BACKEND]: 'true' } },
    finds: [wrongId('i-1')],
  },
  'a changed provider ID': {
    before: ID('cn-hangzhou.i-1'),
    node: ID('cn-hangzhou.i-2'),
    finds: [wrongId('cn-hangzhou.i-2', '!')],
  },
  'a removed provider ID': { before: ID('cn-hangzhou.i-1'), node: NO_ID, finds: [wrongId('', '!')] },
  'an instance in another region': { node: ID('cn-beijing.i-1'), finds: [wrongId('cn-beijing.i-1')] },
  'an instance in any region while the region of the cluster is unknown': {
    node: ID('cn-beijing.i-1'),
    facts: { cluster: null },
    finds: [],
  },
  'a node of another cloud': { before: NO_ID, node: ID('aws:///eu-west-1a/i-1'), finds: [] },
  'a node outside the cloud': { before: NO_ID, node: ID('ack-hybrid://whatever'), finds: [] },
  'a LingJun node by its id': { before: NO_ID, node: ID('e01-cn-abc'), finds: [] },
  'a LingJun node by its label': {
    before: NO_ID,
    node: { ...ID('anything'), labels: { 'alibabacloud.com/lingjun-worker': 'true' } },
    finds: [],
  },
  'a virtual node': { before: NO_ID, node: { ...ID('vk'), labels: { type: 'virtual-kubelet' } }, finds: [] },
  'an excluded node': { before: NO_ID, node: { ...ID('mine'), labels: { [EXCLUDE]: '' } }, finds: [] },

  'a pod range inside the range of the cluster': { node: RANGE('10.0.7.0/24'), finds: [] },
  'a pod range outside the range of the cluster': {
    node: RANGE('192.168.7.0/24'),
    finds: ['pod-range spec.podCIDRs[0]=192.168.7.0/24'],
  },
  'a pod range that is set later, and only in the old field': {
    before: {},
    node: { spec: { podCIDR: '192.168.7.0/24' } },
    finds: ['pod-range spec.podCIDR=192.168.7.0/24'],
  },
  'a pod range wider than the range of the cluster': {
    node: RANGE('10.0.0.0/8'),
    finds: ['pod-range spec.podCIDRs[0]=10.0.0.0/8'],
  },
  'a pod range in the second range of the cluster': {
    node: RANGE('10.9.1.0/24'),
    facts: { cluster: { clusterCidrs: ['10.0.0.0/16', '10.9.0.0/16'] } },
    finds: [],
  },
  'a second range of an unknown family': { node: RANGE('10.0.7.0/24', 'fd00:1::/64'), finds: [] },
  'a second range outside the range of its family': {
    node: RANGE('10.0.7.0/24', 'fd00:1::/64'),
    facts: { cluster: { clusterCidrs: ['10.0.0.0/16', 'fd00:2::/48'] } },
    finds: ['pod-range spec.podCIDRs[1]=fd00:1::/64'],
  },
  'a pod range while the ranges of the cluster are unknown': {
    node: RANGE('192.168.7.0/24'),
    facts: { cluster: { clusterCidrs: [] } },
    finds: [],
  },
  'a pod range of an excluded node': {
    node: { ...RANGE('192.168.7.0/24'), labels: { [EXCLUDE]: '' } },
    finds: [],
  },

  'an exclude label with a negative value': {
    node: LABELS({ [EXCLUDE]: 'False' }),
    finds: [`exclude-label metadata.labels[${EXCLUDE}]=False`],
  },
  'an exclude label with an empty value': { node: LABELS({ [EXCLUDE]: '' }), finds: [] },
  'labels for load balancing with a negative value': {
    node: LABELS({ [BACKEND]: 'false', [OLD_BACKEND]: 'no' }),
    finds: [`exclude-label metadata.labels[${BACKEND}]=false`, `exclude-label metadata.labels[${OLD_BACKEND}]=no`],
  },
  'the first of two exclude labels removed': {
    before: LABELS({ [EXCLUDE]: 'a', [OLD_EXCLUDE]: 'b' }),
    node: LABELS({ [EXCLUDE]: 'a' }),
    finds: [`exclude-label metadata.labels[${EXCLUDE}]=a`],
  },
  'both exclude labels removed': { before: LABELS({ [EXCLUDE]: 'a', [OLD_EXCLUDE]: 'b' }), node: {}, finds: [] },
  'the exclude label removed while a label for load balancing stays': {
    before: LABELS({ [EXCLUDE]: 'a', [BACKEND]: 'b' }),
    node: LABELS({ [BACKEND]: 'b' }),
    finds: [],
  },

  'a zone that a user changes': {
    before: LABELS({ [ZONE]: 'a' }),
    node: LABELS({ [ZONE]: 'b' }),
    finds: [`node-label metadata.labels[${ZONE}]=b`],
  },
  'a zone that a user removes': {
    before: LABELS({ [ZONE]: 'a' }),
    node: {},
    finds: [`node-label metadata.labels[${ZONE}]=`],
  },
  'a charge type that a user adds': {
    before: {},
    node: LABELS({ 'node.alibabacloud.com/instance-charge-type': 'PrePaid' }),
    finds: ['node-label metadata.labels[node.alibabacloud.com/instance-charge-type]=PrePaid'],
  },
  'a zone that a node registers with': { node: LABELS({ [ZONE]: 'b' }), finds: [] },
  'a zone of a node of another cloud': {
    before: { ...ID('aws:///z/i-1'), labels: { [ZONE]: 'a' } },
    node: { ...ID('aws:///z/i-1'), labels: { [ZONE]: 'b' } },
    finds: [],
  },
  "a user's own label": { before: {}, node: LABELS({ team: 'shop' }), finds: [] },

  'a kubelet that sets an invalid provider ID': {
    before: NO_ID,
    node: ID('i-1'),
    username: 'system:node:n1',
    groups: ['system:nodes'],
    finds: [wrongId('i-1')],
  },
  'a kubelet that changes its provider ID, which the API server itself denies': {
    before: ID('cn-hangzhou.i-1'),
    node: ID('cn-hangzhou.i-2'),
    username: 'someone',
    groups: ['system:nodes', 'system:authenticated'],
    finds: [wrongId('cn-hangzhou.i-2')],
  },
  'the controller of another cloud provider that writes labels': {
    before: LABELS({ [ZONE]: 'a' }),
    node: LABELS({ [ZONE]: 'b' }),
    username: 'system:serviceaccount:kube-system:cloud-node-controller',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
    finds: [],
  },
  'a cloud controller with a certificate that sets an invalid provider ID': {
    before: NO_ID,
    node: ID('i-1'),
    username: 'system:cloud-controller-manager',
    finds: [wrongId('i-1')],
  },
  'a service account of another namespace, which counts as a user': {
    before: NO_ID,
    node: ID('i-1'),
    username: 'system:serviceaccount:infra:provisioner',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:infra'],
    finds: [wrongId('i-1', '!')],
  },
};

const nodeOf = (input: NodeInput): Node => aNode('n1', input);

function evaluated({ node, before, facts = {}, username, groups }: Omit<Row, 'finds'>) {
  const input = { object: nodeOf(node), ...(before === undefined ? {} : { oldObject: nodeOf(before) }) };
  const identity = { ...(username === undefined ? {} : { username }), ...(groups === undefined ? {} : { groups }) };
  const request = readReview(JSON.parse(JSON.stringify(aReview({ ...input, ...identity }))));
  return validate(request, { facts: aFacts(facts), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false });
}

/** A denied Node would stop the growth of a cluster, so the rules deny only an invalid or a changed provider ID of a user. */
describe('the rules for Nodes', () => {
  for (const [title, row] of Object.entries(ROWS)) {
    const verdict =
      row.finds.length === 0 ? 'accept' : row.finds.some((found) => found.endsWith('!')) ? 'deny' : 'warn about';
    it(`${verdict} ${title}`, () => {
      const { denials, warnings, unevaluated } = evaluated(row);
      const found = (findings: typeof denials, mark: string): string[] =>
        findings.map(({ rule, violation }) => `${rule.name} ${violation.field}=${violation.value}${mark}`);
      assert.deepEqual([...found(denials, '!'), ...found(warnings, '')], row.finds);
      assert.deepEqual(unevaluated, []);
    });
  }

  const everything = { labels: { [ZONE]: 'b', [EXCLUDE]: 'no' }, spec: { providerID: 'nonsense', podCIDR: 'x' } };
  it('deny no registration by any user', () => {
    assert.deepEqual(evaluated({ node: everything }).denials, []);
  });

  it('have no finding if only unrelated fields of a Node change', () => {
    const stored = nodeOf(everything);
    const object = { ...stored, spec: { ...stored.spec, unschedulable: true }, status: {} };
    const request = readReview(aReview({ oldObject: stored, object }));
    const context = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
    assert.deepEqual(validate(request, context), evaluated({ node: {} }));
  });

  it('allow a Node if a rule fails', () => {
    const [rule] = ALL_RULES.node;
    assert.ok(rule);
    const broken = () => {
      throw new Error('broken');
    };
    const request = readReview(aReview({ object: nodeOf({}) }));
    const rules = { service: [], node: [{ ...rule, tier: 'safety' as const, check: broken }] };
    const { unevaluated } = validate(request, { facts: aFacts(), policy: ENFORCE_ALL, rules, expired: () => false });
    assert.deepEqual(
      unevaluated.map(({ rule: { tier } }) => tier),
      ['hygiene'],
    );
  });
});

describe('the webhook configuration for Nodes', () => {
  const configurations = manifestsOf('manifests/webhook/*-webhook-configuration.yaml');
  const conditionsOf = (name: string): string => {
    const hooks = configurations.flatMap((each) => each['webhooks'] as { name: string; matchConditions: object }[]);
    return JSON.stringify(hooks.find((hook) => hook.name === name)?.matchConditions);
  };

  it('matches every label that a rule reads', () => {
    const conditions = conditionsOf('validate-node.portcullis.io');
    const ours = wellKnownOfKind('node-label').filter(({ writer }) => writer === 'controller');
    const labels = [EXCLUDE, OLD_EXCLUDE, BACKEND, OLD_BACKEND, ...ours.map(({ name }) => name)];
    for (const label of labels) assert.ok(conditions.includes(`'${label}'`), label);
  });

  it('matches every deprecated label for a warning', () => {
    const conditions = conditionsOf('mutate-node.portcullis.io');
    for (const label of [EXCLUDE, OLD_EXCLUDE, OLD_BACKEND]) assert.ok(conditions.includes(`'${label}'`), label);
  });
});
