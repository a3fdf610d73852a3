import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../../src/policy/policy.ts';
import type { Service, ServicePort } from '../../../../src/base/objects.ts';
import { violationMessage } from '../../../../src/rules/engine/message.ts';
import { readReview } from '../../../../webhook/admission/review.ts';
import { ALL_RULES, validate } from '../../../../webhook/admission/validate.ts';
import { aFacts, type FactsSaid } from '../../../support/facts.ts';
import { aReview } from '../../../support/review.ts';
import { aService, type ServiceSaid } from '../../../support/service.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const keys = (said: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(said).map(([suffix, value]) => [KEY + suffix, value]));

const port = (said: Partial<ServicePort> & { readonly port: number }): ServicePort => ({
  protocol: 'TCP',
  targetPort: said.port,
  nodePort: 30_000 + said.port,
  ...said,
});

interface Row {
  readonly said: ServiceSaid;
  readonly spec?: object;
  readonly status?: object;
  /** The stored Service of an update. */
  readonly before?: ServiceSaid;
  readonly facts?: FactsSaid;
  /** Expected warning about this field. Undefined for no warning. */
  readonly warned?: RegExp;
}

const SHARED: FactsSaid = { loadBalancers: { 'lb-shared1': { listeners: [{ port: 80, protocol: 'tcp' }] } } };
const HELD: FactsSaid = {
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

/** Common working Services. Users would disable a rule that denies them. */
const ROWS: Record<string, Row> = {
  'values left empty by an operator or a console': {
    said: { annotations: keys(Object.fromEntries(EMPTY_VALUES.map((suffix) => [suffix, '']))) },
  },
  'paybybandwidth without PayBySpec on a Service that is there': {
    said: { annotations: keys({ 'charge-type': 'paybybandwidth', bandwidth: '10' }), labels: { app: 'web' } },
    before: { annotations: keys({ 'charge-type': 'paybybandwidth' }) },
  },
  'paybybandwidth without PayBySpec on a new one, which is made PayBySpec': {
    said: { annotations: keys({ 'charge-type': 'paybybandwidth', bandwidth: '10', spec: 'slb.s2.small' }) },
  },
  'a specification without PayBySpec, as most old manifests have it': {
    said: { annotations: keys({ spec: 'slb.s2.small' }) },
    warned: /spec\S*: .* has no effect without instance-charge-type "PayBySpec"; /,
  },
  'a specification that may be new': {
    said: { annotations: keys({ spec: 'slb.s9.gigantic', 'instance-charge-type': 'PayBySpec' }) },
    warned: /spec\S*: .*; known values are slb\.s1\.small, /,
  },
  'other words for off, where they have always meant it': {
    said: { annotations: keys({ 'proxy-protocol': 'false', 'remove-unscheduled-backend': 'False' }) },
    warned: /proxy-protocol\S*: .*; use off .*\n.*remove-unscheduled-backend\S*: .*; use off /,
  },
  'tags written loosely': {
    said: { annotations: keys({ 'additional-resource-tags': ' a = b, a=c,d=e=f,' }) },
    warned: /additional-resource-tags/,
  },
  'a name that only newer pages of the vendor allow': {
    said: { annotations: keys({ name: 'web:1' }) },
    warned: /name\S*: .*: some regions reject other names /,
  },
  'a name that gets longer than documented with those of the cluster and the namespace': {
    said: { name: 'ingress-nginx-controller', namespace: 'ingress-nginx' },
    facts: { cluster: { clusterId: 'c0123456789abcdef0123456789abcdef' } },
    warned: /metadata\.name: .*; shorten the name /,
  },
  'one Service a pod on one shared load balancer': {
    said: { annotations: keys({ id: 'lb-shared1' }), ports: [81] },
    facts: { ...SHARED, holders: { 'lb-shared1': [['shop/pod-0', 80, 'tcp']] } },
  },
  'TCP and UDP on the same number': {
    said: { ports: [port({ port: 53, name: 'a' }), port({ port: 53, name: 'b', protocol: 'UDP' })] },
  },
  'HTTP/3: https for TCP, and UDP on the same number': {
    said: {
      annotations: keys({ 'protocol-port': 'https:443', 'cert-id': '1-cn' }),
      ports: [port({ port: 443, name: 'a' }), port({ port: 443, name: 'b', protocol: 'UDP' })],
    },
    warned: /protocol-port\S*: .*: the UDP port 443 keeps its listener /,
  },
  'a redirect whose target belongs to another Service of the same load balancer': {
    said: {
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
  'two ports with one target port': {
    said: { ports: [port({ port: 80, name: 'a', targetPort: 8080 }), port({ port: 81, name: 'b', targetPort: 8080 })] },
  },
  'listener ports above 30000': { said: { ports: [31_000] } },
  'a port name that is a number': { said: { ports: [port({ port: 80, name: '80' })] } },
  'health-check-type beside an http listener': {
    said: { annotations: keys({ 'protocol-port': 'http:80', 'health-check-type': 'tcp', 'health-check-flag': 'on' }) },
  },
  'the scheduler wlc, which vendor pages name': {
    said: { annotations: keys({ scheduler: 'wlc' }) },
    warned: /scheduler\S*: .*: should be rr or wrr: the cloud may reject wlc /,
  },
  'the classic network, of which nobody knows who may still have it': {
    said: { annotations: keys({ 'address-type': 'intranet', 'network-type': 'classic' }) },
    warned: /network-type\S*: .*: should be vpc: the cloud may reject classic /,
  },
  'wlc on a load balancer that is there': {
    said: { annotations: keys({ scheduler: 'wlc', 'delete-protection': 'on' }) },
    before: { annotations: keys({ scheduler: 'wlc' }) },
    status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
  },
  'external-ip-type eip with a status address other than that of the load balancer, which no label names': {
    said: { annotations: keys({ 'external-ip-type': 'eip', id: 'lb-shared1' }) },
    before: { annotations: keys({ 'external-ip-type': 'eip' }) },
    status: { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } },
    warned: /id\]: .*; keep the value if that load balancer no longer exists; /,
    facts: SHARED,
  },
  'force-override-listeners said to be off': {
    said: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'false' }) },
    facts: SHARED,
  },
  'our annotations on a ClusterIP Service, whatever they say': {
    said: { type: 'ClusterIP', annotations: keys({ bandwidth: 'much', nonsense: 'x' }) },
  },
  'the annotation of the controller of private zones': {
    said: { annotations: { 'service.beta.kubernetes.io/alibaba-cloud-private-zone-enable': 'true' } },
  },
  'externalTrafficPolicy Local without wrr': { said: {}, spec: { externalTrafficPolicy: 'Local' } },
  'an attribute of HTTP listeners where all ports are TCP': {
    said: { annotations: keys({ 'idle-timeout': '15', 'sticky-session': 'on' }) },
    warned: /idle-timeout\S*: .*; remove the annotation, or .*\n.*sticky-session\S*: .*; remove the annotation, or /,
  },
  'the same, out of the range that it would have there': {
    said: { annotations: keys({ 'idle-timeout': '900' }) },
    warned: /idle-timeout/,
  },
  'preserve-lb-on-delete with a value that reads as no': {
    said: { annotations: keys({ 'preserve-lb-on-delete': 'false' }) },
    warned: /preserve-lb-on-delete/,
  },
  'zero and one hundred, which are values': {
    said: { annotations: keys({ 'persistence-timeout': '0', bandwidth: '100', 'charge-type': 'paybybandwidth' }) },
  },
  'a named target port with nodes as backends': { said: { ports: [port({ port: 80, targetPort: 'web' })] } },
  'a named target port with pods as backends': {
    said: { ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: { backendType: 'eni' } },
  },
  'a named target port in a cluster of which nothing is known': {
    said: { ports: [port({ port: 80, targetPort: 'web' })] },
    facts: { cluster: null, freshness: { kind: 'absent' } },
  },
  'no node ports with pods as backends': {
    said: {
      annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' },
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    },
    spec: { allocateLoadBalancerNodePorts: false },
  },
  'a listener of the user on a load balancer that is reused without overriding': {
    said: { annotations: keys({ id: 'lb-shared1' }) },
    facts: SHARED,
  },
  'a server group of the user that several Services feed': {
    said: { annotations: keys({ id: 'lb-shared1', 'vgroup-port': 'rsp-1:80', weight: '50' }) },
    facts: { ...SHARED, holders: { 'lb-shared1': [['shop/blue', 80, 'tcp']] } },
  },
  'a Service that is looked at again while it holds its listener': {
    said: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'true', scheduler: 'wrr' }) },
    before: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'true' }) },
    facts: { ...HELD, holders: { 'lb-shared1': [['shop/web', 80, 'tcp']] } },
  },
  'a Service that is restored while its listener is still there': {
    said: { annotations: keys({ id: 'lb-shared1', 'force-override-listeners': 'true' }) },
    facts: HELD,
  },
  'a load balancer that an old inventory does not know': {
    said: { annotations: keys({ id: 'lb-new1' }) },
    facts: { freshness: { kind: 'stale', ageMs: 600_000 } },
    warned: /the inventory is 10 minutes old/,
  },
  'a load balancer before there is an inventory': {
    said: { annotations: keys({ id: 'lb-new1' }) },
    facts: { freshness: { kind: 'absent' }, cluster: null },
    warned: /the inventory has not been read/,
  },
  'an annotation that says what the load balancer has anyway': {
    said: { annotations: keys({ 'address-type': 'internet', 'ip-version': 'ipv4' }) },
    before: {},
    status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
  },
  'an annotation taken away that was honoured at creation': {
    said: {},
    before: { annotations: keys({ 'address-type': 'intranet', 'resource-group-id': 'rg-a' }) },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
    warned: /address-type\]: .*; set the annotation again: /,
  },
  'every spelling of the keys at once, saying the same': {
    said: {
      annotations: {
        ...keys({ 'address-type': 'intranet' }),
        'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'intranet',
        'service.beta.kubernetes.io/alicloud-loadbalancer-AddressType': 'intranet',
      },
    },
  },
  'a key that nobody knows, left empty': {
    said: { annotations: keys({ 'white-list': '' }) },
    warned: /white-list\S*: .*; remove the annotation /,
  },
  'the region, which was read before 2.0': {
    said: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-region': 'cn-hangzhou' } },
    warned: /region\S*: .*; remove the annotation /,
  },
  'a key under a prefix like ours': {
    said: { annotations: { 'service.beta.kubernetes.io/aliyun-loadbalancer-id': 'lb-1' } },
    warned: /aliyun\S*: .*; did you mean \S*alibaba-cloud-loadbalancer-id\? /,
  },
  'the annotations of other clouds': {
    said: { annotations: { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb' } },
  },
  'keys that objects inherit': { said: { annotations: { constructor: 'x', hasOwnProperty: 'y', toString: 'z' } } },
};

function serviceOf(said: ServiceSaid, { spec, status }: Row): Service {
  const service = aService(said);
  return { ...service, spec: { ...service.spec, ...spec }, ...(status === undefined ? {} : { status }) };
}

describe('what works today is accepted:', () => {
  for (const [sentence, row] of Object.entries(ROWS)) {
    it(sentence, () => {
      const object = serviceOf(row.said, row);
      const old = row.before === undefined ? {} : { oldObject: serviceOf(row.before, row) };
      const request = readReview(aReview({ object, ...old }));
      const context = { facts: aFacts(row.facts), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
      const { denials, warnings, unevaluated } = validate(request, context);
      assert.deepEqual([denials, unevaluated], [[], []]);
      const said = warnings.map((finding) => `${finding.violation.field}: ${violationMessage(finding)}`);
      if (row.warned === undefined) assert.deepEqual(said, []);
      else assert.match(said.join('\n'), row.warned);
    });
  }
});
