import { ignoredField } from '../../../src/rules/ignored-field.ts';
import { nlbAnnotation } from '../../../src/rules/nlb-annotation.ts';
import { publicAddress } from '../../../src/rules/public-address.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { HAS_ADDRESS, on } from '../../support/found.ts';

const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const PRIVATE = { cluster: { disablePublicSLB: true } };
const HELD = { finalizers: ['service.k8s.alibaba/resources'] };
const owns = (manager: string, spec: object) => ({ managedFields: [{ manager, fieldsV1: { 'f:spec': spec } }] });

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

on(nlbAnnotation, {
  'a type that another controller may heed': { keys: { [TYPE]: 'nlb' }, finds: ['type=nlb?'] },
  'a type beside a class, which another controller heeds': { keys: { [TYPE]: 'nlb' }, spec: NLB, finds: [] },
  'a type of a Service that is served here': { keys: { [TYPE]: 'nlb' }, metadata: HELD, finds: ['type=nlb?'] },
  'a type that no controller reads': { keys: { [TYPE]: 'clb' }, finds: [] },
  'a type that no controller reads, on a Service of another controller': {
    keys: { [TYPE]: 'clb' },
    spec: NLB,
    finds: [],
  },
  'a type that is empty': { keys: { [TYPE]: '' }, finds: [] },
  'zones of a Service of another controller': { keys: { 'zone-maps': 'a:vsw-1' }, spec: NLB, finds: [] },
  'zones of a Service of ours': { keys: { 'zone-maps': 'a:vsw-1' }, finds: ['zone-maps=a:vsw-1?'] },
});

const made = (addressType: 'internet' | 'intranet'): FactsSaid => ({
  ...PRIVATE,
  loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', addressType } },
});

on(publicAddress, {
  'a private one': { keys: { 'address-type': 'intranet' }, facts: PRIVATE, finds: [] },
  'one on the internet': { keys: { 'address-type': 'internet' }, facts: PRIVATE, finds: ['address-type=internet'] },
  'one of which nothing is said': { facts: PRIVATE, finds: ['address-type='] },
  'one that is there already': { before: {}, ingress: HAS_ADDRESS, facts: PRIVATE, finds: [] },
  'one that was made private, and is no longer asked to be, before it has an address to tell': {
    metadata: HELD,
    before: { keys: { 'address-type': 'intranet' }, metadata: HELD },
    facts: made('intranet'),
    finds: [],
  },
  'one that was made on the internet, and has no address to tell yet': {
    metadata: HELD,
    before: { metadata: HELD },
    facts: made('internet'),
    finds: ['address-type='],
  },
  'one that is reused': { keys: { id: 'lb-1' }, facts: PRIVATE, finds: [] },
  'a type that cannot be read, which is told of by itself': {
    keys: { 'address-type': 'Intranet' },
    facts: PRIVATE,
    finds: [],
  },
  'a cluster that allows it': { finds: [] },
  'a cluster of which nothing is known': { facts: { cluster: null }, finds: [] },
});
