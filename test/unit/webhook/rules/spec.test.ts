import assert from 'node:assert/strict';
import { controllerChange } from '../../../../webhook/rules/controller-change.ts';
import { ignoredField } from '../../../../webhook/rules/ignored-field.ts';
import { immutableAnnotation } from '../../../../webhook/rules/immutable-annotation.ts';
import { loadBalancerSwap } from '../../../../webhook/rules/load-balancer-swap.ts';
import { nlbAnnotation } from '../../../../webhook/rules/nlb-annotation.ts';
import { publicAddress } from '../../../../webhook/rules/public-address.ts';
import type { Rule } from '../../../../webhook/rules/rule.ts';
import { foundBy, HAS_ADDRESS, type Row } from '../../../support/found.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const TUNNEL = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type';
const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const PRIVATE = { cluster: { disablePublicSLB: true } };
const HELD = { finalizers: ['service.k8s.alibaba/resources'] };
const owns = (manager: string, spec: object) => ({ managedFields: [{ manager, fieldsV1: { 'f:spec': spec } }] });

type Rows = Readonly<Record<string, Row & { readonly finds: readonly string[] }>>;

function on(rule: Rule, rows: Rows): void {
  describe(`the rule ${rule.name} on`, () => {
    for (const [sentence, row] of Object.entries(rows)) {
      it(sentence, () => assert.deepEqual(foundBy(rule, row), row.finds));
    }
  });
}

on(ignoredField, {
  'what the API server fills in': {
    spec: {
      externalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      allocateLoadBalancerNodePorts: true,
    },
    finds: [],
  },
  'lists that are null': {
    spec: { loadBalancerSourceRanges: null, externalIPs: null, ipFamilies: null, ports: null },
    finds: [],
  },
  'who may connect': {
    spec: { loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.0/24'] },
    finds: ['spec.loadBalancerSourceRanges=192.0.2.0/24,198.51.100.0/24?'],
  },
  'that everybody may connect': { spec: { loadBalancerSourceRanges: ['0.0.0.0/0'] }, finds: [] },
  'that everybody may connect by IPv6': { spec: { loadBalancerSourceRanges: ['::/0'] }, finds: [] },
  'who may connect, by an annotation of Kubernetes': {
    keys: { [RANGES]: '192.0.2.0/24' },
    finds: [`${RANGES}=192.0.2.0/24?`],
  },
  'that everybody may connect, by an annotation of Kubernetes': {
    keys: { [RANGES]: '192.0.2.0/24, 0.0.0.0/0' },
    finds: [],
  },
  'nobody said to connect': { spec: { loadBalancerSourceRanges: [] }, finds: [] },
  'addresses that every node draws here': {
    spec: { externalIPs: ['203.0.113.9'] },
    finds: ['spec.externalIPs=203.0.113.9?'],
  },
  'an address asked for by the field': {
    spec: { loadBalancerIP: '192.168.0.9' },
    finds: ['spec.loadBalancerIP=192.168.0.9?'],
  },
  'an address asked for by field and annotation': {
    keys: { ip: '192.168.0.9', 'address-type': 'intranet' },
    spec: { loadBalancerIP: '192.168.0.9' },
    finds: [],
  },
  'a client that is to stay with its backend': {
    spec: { sessionAffinity: 'ClientIP' },
    finds: ['spec.sessionAffinity=ClientIP?'],
  },
  'a client that stays by persistence': {
    keys: { 'persistence-timeout': '1800' },
    spec: { sessionAffinity: 'ClientIP' },
    finds: [],
  },
  'a client that stays by a cookie': {
    keys: { 'sticky-session': 'on' },
    spec: { sessionAffinity: 'ClientIP' },
    finds: [],
  },
  'a client that stays by its address': {
    keys: { scheduler: 'sch' },
    spec: { sessionAffinity: 'ClientIP' },
    finds: [],
  },
  'Local with nodes as backends': { spec: { externalTrafficPolicy: 'Local' }, finds: [] },
  'Local with pods as backends': {
    keys: ENI,
    spec: { externalTrafficPolicy: 'Local' },
    finds: ['spec.externalTrafficPolicy=Local?'],
  },
  'Local where neither is known': {
    spec: { externalTrafficPolicy: 'Local' },
    facts: { cluster: null },
    finds: [],
  },
  'a port of health checks that the API server gave': {
    spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 },
    metadata: owns('kubectl', { 'f:externalTrafficPolicy': {} }),
    finds: [],
  },
  'a port of health checks that somebody wrote': {
    spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 },
    metadata: owns('kubectl', { 'f:healthCheckNodePort': {} }),
    finds: ['spec.healthCheckNodePort=31000?'],
  },
  'a port of health checks in a file': {
    spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 },
    finds: ['spec.healthCheckNodePort=31000?'],
  },
  'both families at once': {
    spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    finds: ['spec.ipFamilyPolicy=RequireDualStack?'],
  },
  'both families where they are to be had': {
    spec: { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    finds: [],
  },
  'IPv6 behind an IPv4 address': { spec: { ipFamilies: ['IPv6'] }, finds: ['spec.ipFamilies=IPv6?'] },
  'IPv6 behind an IPv6 address': {
    keys: { 'ip-version': 'ipv6', 'backend-ip-version': 'ipv6' },
    spec: { ipFamilies: ['IPv6'] },
    finds: [],
  },
  'IPv4 behind an IPv6 address': { keys: { 'ip-version': 'ipv6' }, spec: { ipFamilies: ['IPv4'] }, finds: [] },
});

on(controllerChange, {
  'a new Service with a class': { keys: { [CLASS]: 'nginx' }, finds: [] },
  'a class given to a Service that has a load balancer': {
    keys: { [CLASS]: 'nginx' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=nginx`],
  },
  'a class given to one that has none yet': { keys: { [CLASS]: 'nginx' }, before: {}, finds: [] },
  'everything that gives it away': {
    keys: { [CLASS]: 'nginx', [TYPE]: 'nlb', [TUNNEL]: '' },
    spec: NLB,
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.loadBalancerClass=alibabacloud.com/nlb', `${CLASS}=nginx`, 'type=nlb', `tunnel-type=${TUNNEL}`],
  },
  'a type given to a Service that the finalizer holds': {
    keys: { [TYPE]: 'nlb' },
    metadata: HELD,
    before: { metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: ['type=nlb'],
  },
  'a type that has never been heeded': {
    keys: { [TYPE]: 'nlb', scheduler: 'wrr' },
    metadata: HELD,
    before: { keys: { [TYPE]: 'nlb' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'empty texts, which give nothing away': {
    keys: { [CLASS]: '', [TYPE]: '' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'a class taken from a Service of another controller that has its load balancer': {
    before: { keys: { [CLASS]: 'nginx' } },
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=`],
  },
  'a class taken from one that has none': { before: { keys: { [CLASS]: 'nginx' } }, finds: [] },
  'a class that stays': { keys: { [CLASS]: 'a' }, before: { keys: { [CLASS]: 'b' } }, ingress: HAS_ADDRESS, finds: [] },
  'another type, with which the load balancer goes': {
    type: 'ClusterIP',
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.type=ClusterIP?'],
  },
  'another type, with which the load balancer stays behind': {
    type: 'NodePort',
    keys: { 'preserve-lb-on-delete': 'true' },
    before: { keys: { 'preserve-lb-on-delete': 'true' } },
    ingress: HAS_ADDRESS,
    finds: ['spec.type=NodePort?'],
  },
  'another type where the load balancer is reused': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another type where there is no load balancer yet': { type: 'ClusterIP', before: {}, finds: [] },
  'a Service that becomes a load balancer': { before: { type: 'ClusterIP' }, finds: [] },
});

on(nlbAnnotation, {
  'a type that another controller may heed': { keys: { [TYPE]: 'nlb' }, finds: ['type=nlb?'] },
  'a type beside a class, which another controller heeds': { keys: { [TYPE]: 'nlb' }, spec: NLB, finds: [] },
  'a type of a Service that is served here': { keys: { [TYPE]: 'nlb' }, metadata: HELD, finds: ['type=nlb?'] },
  'a type that is empty': { keys: { [TYPE]: '' }, finds: [] },
  'zones of a Service of another controller': { keys: { 'zone-maps': 'a:vsw-1' }, spec: NLB, finds: [] },
  'zones of a Service of ours': { keys: { 'zone-maps': 'a:vsw-1' }, finds: ['zone-maps=a:vsw-1?'] },
});

on(loadBalancerSwap, {
  'an id given together with another type, so that its own would be left behind': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': { address: '47.96.0.9' } } },
    finds: ['id=lb-1'],
  },
  'an id taken away together with the type': {
    type: 'ClusterIP',
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    finds: ['id='],
  },
  'an id given while the Service is being deleted': {
    keys: { id: 'lb-1' },
    metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' },
    before: { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-1'],
  },
  'an id that cannot be read, which is told of by itself': {
    keys: { id: 'LB' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an id given while there is no load balancer': { keys: { id: 'lb-1' }, before: {}, finds: [] },
  'an id given to a Service of another controller': {
    keys: { id: 'lb-1' },
    before: { keys: { [CLASS]: 'nginx' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});

on(immutableAnnotation, {
  'what the rules of reuse compare with the load balancer': {
    keys: { id: 'lb-1', 'address-type': 'intranet', 'resource-group-id': 'rg-b' },
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
  'what they do not know of it': {
    keys: { id: 'lb-1', 'master-zoneid': 'cn-hangzhou-b' },
    before: { keys: { id: 'lb-1', 'master-zoneid': 'cn-hangzhou-a' } },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: ['master-zoneid=cn-hangzhou-b'],
  },
  'a Service that was no load balancer, whatever its status says': {
    keys: { 'address-type': 'intranet' },
    before: { type: 'ClusterIP' },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});

on(publicAddress, {
  'a private one': { keys: { 'address-type': 'intranet' }, facts: PRIVATE, finds: [] },
  'one on the internet': { keys: { 'address-type': 'internet' }, facts: PRIVATE, finds: ['address-type=internet'] },
  'one of which nothing is said': { facts: PRIVATE, finds: ['address-type='] },
  'one that is there already': { before: {}, ingress: HAS_ADDRESS, facts: PRIVATE, finds: [] },
  'one that is reused': { keys: { id: 'lb-1' }, facts: PRIVATE, finds: [] },
  'a type that cannot be read, which is told of by itself': {
    keys: { 'address-type': 'Intranet' },
    facts: PRIVATE,
    finds: [],
  },
  'a cluster that allows it': { finds: [] },
  'a cluster of which nothing is known': { facts: { cluster: null }, finds: [] },
});
