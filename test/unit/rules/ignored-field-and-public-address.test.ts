import { ignoredField } from '../../../src/rules/ignored-field.ts';
import { nlbAnnotation } from '../../../src/rules/nlb-annotation.ts';
import { publicAddress } from '../../../src/rules/public-address.ts';
import type { FactsInput } from '../../support/facts.ts';
import { HAS_ADDRESS, describeViolations } from '../../support/rule-violations.ts';

const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const PRIVATE = { cluster: { disablePublicSLB: true } };
const WITH_FINALIZER = { finalizers: ['service.k8s.alibaba/resources'] };
const owns = (manager: string, spec: object) => ({ managedFields: [{ manager, fieldsV1: { 'f:spec': spec } }] });

/** Some fields of the spec have no effect, which can expose a Service to all clients. In `finds`, `?` marks a warning. */
describeViolations(ignoredField, {
  'the defaults of the API server': {
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
  'source ranges that do not contain all addresses': {
    spec: { loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.0/24'] },
    finds: ['spec.loadBalancerSourceRanges=192.0.2.0/24,198.51.100.0/24?'],
  },
  'a source range of all addresses': { spec: { loadBalancerSourceRanges: ['0.0.0.0/0'] }, finds: [] },
  'a source range of all IPv6 addresses': { spec: { loadBalancerSourceRanges: ['::/0'] }, finds: [] },
  'allowed source ranges in an annotation of Kubernetes': {
    keys: { [RANGES]: '192.0.2.0/24' },
    finds: [`${RANGES}=192.0.2.0/24?`],
  },
  'a source range of all addresses in an annotation of Kubernetes': {
    keys: { [RANGES]: '192.0.2.0/24, 0.0.0.0/0' },
    finds: [],
  },
  'an empty list of source ranges': { spec: { loadBalancerSourceRanges: [] }, finds: [] },
  'external addresses': {
    spec: { externalIPs: ['203.0.113.9'] },
    finds: ['spec.externalIPs=203.0.113.9?'],
  },
  'a requested address in the field': {
    spec: { loadBalancerIP: '192.168.0.9' },
    finds: ['spec.loadBalancerIP=192.168.0.9?'],
  },
  'a requested address in field and annotation': {
    keys: { ip: '192.168.0.9', 'address-type': 'intranet' },
    spec: { loadBalancerIP: '192.168.0.9' },
    finds: [],
  },
  'session affinity': {
    spec: { sessionAffinity: 'ClientIP' },
    finds: ['spec.sessionAffinity=ClientIP?'],
  },
  'session affinity with persistence': {
    keys: { 'persistence-timeout': '1800' },
    spec: { sessionAffinity: 'ClientIP' },
    finds: [],
  },
  'session affinity with a cookie': {
    keys: { 'sticky-session': 'on' },
    spec: { sessionAffinity: 'ClientIP' },
    finds: [],
  },
  'session affinity with a hash of addresses': {
    keys: { scheduler: 'sch' },
    spec: { sessionAffinity: 'ClientIP' },
    finds: [],
  },
  'the traffic policy Local with nodes as backends': { spec: { externalTrafficPolicy: 'Local' }, finds: [] },
  'the traffic policy Local with pods as backends': {
    keys: ENI,
    spec: { externalTrafficPolicy: 'Local' },
    finds: ['spec.externalTrafficPolicy=Local?'],
  },
  'the traffic policy Local with unknown backends': {
    spec: { externalTrafficPolicy: 'Local' },
    facts: { cluster: null },
    finds: [],
  },
  'a health check port that the API server assigned': {
    spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 },
    metadata: owns('kubectl', { 'f:externalTrafficPolicy': {} }),
    finds: [],
  },
  'a health check port that a user wrote': {
    spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 },
    metadata: owns('kubectl', { 'f:healthCheckNodePort': {} }),
    finds: ['spec.healthCheckNodePort=31000?'],
  },
  'a health check port in a file, which has no managed fields': {
    spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 },
    finds: ['spec.healthCheckNodePort=31000?'],
  },
  'both families as a requirement': {
    spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    finds: ['spec.ipFamilyPolicy=RequireDualStack?'],
  },
  'both families as a preference': {
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

describeViolations(nlbAnnotation, {
  'the type nlb, which another controller may use': { keys: { [TYPE]: 'nlb' }, finds: ['type=nlb?'] },
  'the type nlb with a class that selects another controller': { keys: { [TYPE]: 'nlb' }, spec: NLB, finds: [] },
  'the type nlb on a Service with the finalizer': {
    keys: { [TYPE]: 'nlb' },
    metadata: WITH_FINALIZER,
    finds: ['type=nlb?'],
  },
  'an unknown type': { keys: { [TYPE]: 'clb' }, finds: [] },
  'an unknown type on a Service of another controller': {
    keys: { [TYPE]: 'clb' },
    spec: NLB,
    finds: [],
  },
  'an empty type': { keys: { [TYPE]: '' }, finds: [] },
  'zones of a Service of another controller': { keys: { 'zone-maps': 'a:vsw-1' }, spec: NLB, finds: [] },
  'zones of a managed Service': { keys: { 'zone-maps': 'a:vsw-1' }, finds: ['zone-maps=a:vsw-1?'] },
});

const made = (addressType: 'internet' | 'intranet'): FactsInput => ({
  ...PRIVATE,
  loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web', addressType } },
});

describeViolations(publicAddress, {
  'a private load balancer': { keys: { 'address-type': 'intranet' }, facts: PRIVATE, finds: [] },
  'a load balancer on the internet': {
    keys: { 'address-type': 'internet' },
    facts: PRIVATE,
    finds: ['address-type=internet'],
  },
  'a load balancer without an address type': { facts: PRIVATE, finds: ['address-type='] },
  'an existing load balancer': { before: {}, ingress: HAS_ADDRESS, facts: PRIVATE, finds: [] },
  'a private load balancer with a removed address type, before its address is published': {
    metadata: WITH_FINALIZER,
    before: { keys: { 'address-type': 'intranet' }, metadata: WITH_FINALIZER },
    facts: made('intranet'),
    finds: [],
  },
  'a load balancer on the internet, before its address is published': {
    metadata: WITH_FINALIZER,
    before: { metadata: WITH_FINALIZER },
    facts: made('internet'),
    finds: ['address-type='],
  },
  'a reused load balancer that the inventory lacks': { keys: { id: 'lb-1' }, facts: PRIVATE, finds: [] },
  'an unreadable type, which another rule reports': {
    keys: { 'address-type': 'Intranet' },
    facts: PRIVATE,
    finds: [],
  },
  'a cluster that allows public load balancers': { finds: [] },
  'a cluster without facts': { facts: { cluster: null }, finds: [] },
});
