import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../../src/policy/policy-decisions.ts';
import type { Service, ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import { violationMessage } from '../../../../src/rules/engine/message.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../../webhook/admission/validate.ts';
import { aFacts, type FactsInput } from '../../../support/facts.ts';
import { aReview } from '../../../support/review.ts';
import { aService, type ServiceInput } from '../../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const keys = (input: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(input).map(([suffix, value]) => [KEY + suffix, value]));

const port = (input: Partial<ServicePort> & { readonly port: number }): ServicePort => ({
  protocol: 'TCP',
  targetPort: input.port,
  nodePort: 30_000 + input.port,
  ...input,
});

interface Row {
  readonly input: ServiceInput;
  readonly spec?: object;
  readonly status?: object;
  /** The stored Service of an update. */
  readonly before?: ServiceInput;
  readonly facts?: FactsInput;
  /** A pattern that the warnings must match. Undefined if no warning is expected. */
  readonly warned?: RegExp;
}

const SHARED: FactsInput = { loadBalancers: { 'lb-shared1': { listeners: [{ port: 80, protocol: 'tcp' }] } } };
const IN_USE: FactsInput = {
  loadBalancers: { 'lb-shared1': { listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
};
const EMPTY_VALUES = [
  ...[
    'id',
    'address-type',
    'bandwidth',
    'spec',
    'protocol-port',
    'cert-id',
    'acl-id',
    'weight',
    'vgroup-port',
    'scheduler',
  ],
  ...['health-check-uri', 'health-check-type', 'additional-resource-tags', 'backend-label', 'ip', 'vswitch-id', 'name'],
];

const ROWS: Record<string, Row> = {
  'empty values, as an operator or a console writes them': {
    input: { annotations: keys(Object.fromEntries(EMPTY_VALUES.map((suffix) => [suffix, '']))) },
  },
  'paybybandwidth without PayBySpec on a stored Service': {
    input: { annotations: keys({ 'charge-type': 'paybybandwidth', bandwidth: '10' }), labels: { app: 'web' } },
    before: { annotations: keys({ 'charge-type': 'paybybandwidth' }) },
  },
  'paybybandwidth without PayBySpec on a new Service, which becomes PayBySpec': {
    input: { annotations: keys({ 'charge-type': 'paybybandwidth', bandwidth: '10', spec: 'slb.s2.small' }) },
  },
  'a specification without PayBySpec, as in most old manifests': {
    input: { annotations: keys({ spec: 'slb.s2.small' }) },
    warned: /spec\S*: .* has no effect without instance-charge-type "PayBySpec"; /,
  },
  'a specification of unknown name': {
    input: { annotations: keys({ spec: 'slb.s9.gigantic', 'instance-charge-type': 'PayBySpec' }) },
    warned: /spec\S*: .*; known values are slb\.s1\.small, /,
  },
  'alternative words for off that the existing controller accepts': {
    input: { annotations: keys({ 'proxy-protocol': 'false', 'remove-unscheduled-backend': 'False' }) },
    warned: /proxy-protocol\S*: .*; use off .*\n.*remove-unscheduled-backend\S*: .*; use off /,
  },
  'loosely formatted tags': {
    input: { annotations: keys({ 'additional-resource-tags': ' a = b, a=c,d=e=f,' }) },
    warned: /additional-resource-tags/,
  },
  'a name that only newer pages of the vendor allow': {
    input: { annotations: keys({ name: 'web:1' }) },
    warned: /name\S*: .*: some regions reject other names /,
  },
  'a name that exceeds the documented length together with cluster and namespace': {
    input: { name: 'ingress-nginx-controller', namespace: 'ingress-nginx' },
    facts: { cluster: { clusterId: 'c0123456789abcdef0123456789abcdef' } },
    warned: /metadata\.name: .*; shorten the name /,
  },
  'one Service per pod on a shared load balancer': {
    input: { annotations: keys({ id: 'lb-shared1' }), ports: [81] },
    facts: { ...SHARED, holders: { 'lb-shared1': [['shop/pod-0', 80, 'tcp']] } },
  },
  'TCP and UDP on the same port': {
    input: { ports: [port({ port: 53, name: 'a' }), port({ port: 53, name: 'b', protocol: 'UDP' })] },
  },
  'HTTP/3: https for TCP, and UDP on the same port': {
    input: {
      annotations: keys({ 'protocol-port': 'https:443', 'cert-id': '1-cn' }),
      ports: [port({ port: 443, name: 'a' }), port({ port: 443, name: 'b', protocol: 'UDP' })],
    },
    warned: /protocol-port\S*: .*: the UDP port 443 keeps its listener /,
  },
  'a redirect to a port of another Service on the same load balancer': {
    input: {
      annotations: keys({
        id: 'lb-shared1',
        'force-override-listeners': 'true',
        'protocol-port': 'http:8080',
        'forward-port': '8080:443',
      }),
      ports: [8080],
    },
    facts: { ...SHARED, holders: { 'lb-shared1': [['shop/secure', 443, 'https']] } },
  },
  'two ports with the same target port': {
    input: {
      ports: [port({ port: 80, name: 'a', targetPort: 8080 }), port({ port: 81, name: 'b', targetPort: 8080 })],
    },
  },
  'listener ports above 30000': { input: { ports: [31_000] } },
  'a numeric port name': { input: { ports: [port({ port: 80, name: '80' })] } },
  'health-check-type with an http listener': {
    input: { annotations: keys({ 'protocol-port': 'http:80', 'health-check-type': 'tcp', 'health-check-flag': 'on' }) },
  },
  'the scheduler wlc, which vendor pages list': {
    input: { annotations: keys({ scheduler: 'wlc' }) },
    warned: /scheduler\S*: .*: should be rr or wrr: the cloud may reject wlc /,
  },
  'the classic network, which some accounts may still have': {
    input: { annotations: keys({ 'address-type': 'intranet', 'network-type': 'classic' }) },
    warned: /network-type\S*: .*: should be vpc: the cloud may reject classic /,
  },
  'wlc on an existing load balancer': {
    input: { annotations: keys({ scheduler: 'wlc', 'delete-protection': 'on' }) },
    before: { annotations: keys({ scheduler: 'wlc' }) },
    status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
  },
  'an added id, although the status has an elastic address and the id label is missing': {
    input: { annotations: keys({ 'external-ip-type': 'eip', id: 'lb-shared1' }) },
    before: { annotations: keys({ 'external-ip-type': 'eip' }) },
    status: { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } },
    warned: /id\]: .*; keep the new value if that load balancer no longer exists; /,
    facts: SHARED,
  },
  'force-override-listeners with the value false': {
    input: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'false' }) },
    facts: SHARED,
  },
  'our annotations with any values on a ClusterIP Service': {
    input: { type: 'ClusterIP', annotations: keys({ bandwidth: 'much', nonsense: 'x' }) },
  },
  'the annotation of the controller of private zones': {
    input: { annotations: { 'service.beta.kubernetes.io/alibaba-cloud-private-zone-enable': 'true' } },
  },
  'externalTrafficPolicy Local without wrr': { input: {}, spec: { externalTrafficPolicy: 'Local' } },
  'an attribute of HTTP listeners with TCP ports only': {
    input: { annotations: keys({ 'idle-timeout': '15', 'sticky-session': 'on' }) },
    warned: /idle-timeout\S*: .*; remove the annotation, or .*\n.*sticky-session\S*: .*; remove the annotation, or /,
  },
  'an attribute of HTTP listeners out of range, with TCP ports only': {
    input: { annotations: keys({ 'idle-timeout': '900' }) },
    warned: /idle-timeout/,
  },
  'preserve-lb-on-delete with a value that means no': {
    input: { annotations: keys({ 'preserve-lb-on-delete': 'false' }) },
    warned: /preserve-lb-on-delete/,
  },
  'the values zero and one hundred': {
    input: { annotations: keys({ 'persistence-timeout': '0', bandwidth: '100', 'charge-type': 'paybybandwidth' }) },
  },
  'a named target port with nodes as backends': { input: { ports: [port({ port: 80, targetPort: 'web' })] } },
  'a named target port with pods as backends': {
    input: { ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
  },
  'a named target port without facts about the cluster': {
    input: { ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: null, freshness: { kind: 'absent' } },
  },
  'no node ports with pods as backends': {
    input: {
      annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' },
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    },
    spec: { allocateLoadBalancerNodePorts: false },
  },
  "a user's listener on a reused load balancer without overriding": {
    input: { annotations: keys({ id: 'lb-shared1' }) },
    facts: SHARED,
  },
  'a user-managed server group that several Services use': {
    input: { annotations: keys({ id: 'lb-shared1', 'vgroup-port': 'rsp-1:80', weight: '50' }) },
    facts: { ...SHARED, holders: { 'lb-shared1': [['shop/blue', 80, 'tcp']] } },
  },
  'a changed scheduler of a Service with its own listener': {
    input: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'true', scheduler: 'wrr' }) },
    before: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'true' }) },
    facts: { ...IN_USE, holders: { 'lb-shared1': [['shop/web', 80, 'tcp']] } },
  },
  'a restored Service with its existing listener': {
    input: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'true' }) },
    facts: IN_USE,
  },
  'a load balancer that a stale inventory lacks': {
    input: { annotations: keys({ id: 'lb-new1' }) },
    facts: { freshness: { kind: 'stale', ageMs: 600_000 } },
    warned: /the inventory is 10 minutes old/,
  },
  'a load balancer before the inventory exists': {
    input: { annotations: keys({ id: 'lb-new1' }) },
    facts: { freshness: { kind: 'absent' }, cluster: null },
    warned: /the inventory has not been read/,
  },
  'an annotation equal to the attribute of the load balancer': {
    input: { annotations: keys({ 'address-type': 'internet', 'ip-version': 'ipv4' }) },
    before: {},
    status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
  },
  'a removed annotation that took effect at creation': {
    input: {},
    before: { annotations: keys({ 'address-type': 'intranet', 'resource-group-id': 'rg-a' }) },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
    warned: /address-type\]: .*; set the annotation again: /,
  },
  'every spelling of the keys together, with the same value': {
    input: {
      annotations: {
        ...keys({ 'address-type': 'intranet' }),
        'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'intranet',
        'service.beta.kubernetes.io/alicloud-loadbalancer-AddressType': 'intranet',
      },
    },
  },
  'an unknown key with an empty value': {
    input: { annotations: keys({ 'white-list': '' }) },
    warned: /white-list\S*: .*; remove the annotation /,
  },
  'the annotation region, which the existing controller read until 2.0': {
    input: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-region': 'cn-hangzhou' } },
    warned: /region\S*: .*; remove the annotation /,
  },
  'a key with a prefix similar to ours': {
    input: { annotations: { 'service.beta.kubernetes.io/aliyun-loadbalancer-id': 'lb-1' } },
    warned: /aliyun\S*: .*; did you mean \S*alibaba-cloud-loadbalancer-id\? /,
  },
  'the annotations of other clouds': {
    input: { annotations: { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb' } },
  },
  'keys that objects inherit': { input: { annotations: { constructor: 'x', hasOwnProperty: 'y', toString: 'z' } } },
};

function serviceOf(input: ServiceInput, { spec, status }: Row): Service {
  const service = aService(input);
  return { ...service, spec: { ...service.spec, ...spec }, ...(status === undefined ? {} : { status }) };
}

/** A rule that denies a working Service would block deployments, and users would disable the webhook. */
describe('the webhook allows configurations that work today:', () => {
  for (const [title, row] of Object.entries(ROWS)) {
    it(title, () => {
      const object = serviceOf(row.input, row);
      const old = row.before === undefined ? {} : { oldObject: serviceOf(row.before, row) };
      const request = readReview(aReview({ object, ...old }));
      const context = { facts: aFacts(row.facts), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
      const { denials, warnings, unevaluated } = validate(request, context);
      assert.deepEqual([denials, unevaluated], [[], []]);
      const texts = warnings.map((finding) => `${finding.violation.field}: ${violationMessage(finding)}`);
      if (row.warned === undefined) assert.deepEqual(texts, []);
      else assert.match(texts.join('\n'), row.warned);
    });
  }
});
