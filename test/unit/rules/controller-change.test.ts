import { controllerChange } from '../../../src/rules/controller-change.ts';
import { HAS_ADDRESS, describeViolations } from '../../support/rule-violations.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const TUNNEL = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type';
const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const WITH_FINALIZER = { finalizers: ['service.k8s.alibaba/resources'] };
/** Inventory with the owned load balancer, and inventory with a user-managed load balancer on which the Service has a listener. */
const MADE = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } } as const;
const SHARED = {
  loadBalancers: { 'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
} as const;

/** A Service that changes its controller leaves its load balancer behind, or loses it. */
describeViolations(controllerChange, {
  'a new Service with a class': { keys: { [CLASS]: 'nginx' }, finds: [] },
  'an added class on a Service with a load balancer': {
    keys: { [CLASS]: 'nginx' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=nginx`],
  },
  'an added class on a Service without a load balancer': { keys: { [CLASS]: 'nginx' }, before: {}, finds: [] },
  'every change that transfers a Service to another controller': {
    keys: { [CLASS]: 'nginx', [TYPE]: 'nlb', [TUNNEL]: '' },
    spec: NLB,
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.loadBalancerClass=alibabacloud.com/nlb', `${CLASS}=nginx`, 'type=nlb', `tunnel-type=${TUNNEL}`],
  },
  'an added type on a Service with the finalizer': {
    keys: { [TYPE]: 'nlb' },
    metadata: WITH_FINALIZER,
    before: { metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: ['type=nlb'],
  },
  'an unknown type': {
    keys: { [TYPE]: 'NLB' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'a type that never had an effect': {
    keys: { [TYPE]: 'nlb', scheduler: 'wrr' },
    metadata: WITH_FINALIZER,
    before: { keys: { [TYPE]: 'nlb' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'empty texts without effect': {
    keys: { [CLASS]: '', [TYPE]: '' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  "a removed class on another controller's Service with a load balancer": {
    before: { keys: { [CLASS]: 'nginx' } },
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=`],
  },
  "a removed class on another controller's Service with our finalizer": {
    metadata: WITH_FINALIZER,
    before: { keys: { [CLASS]: 'nginx' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=`],
  },
  'a removed class before our cleanup ends, if a label names our load balancer': {
    metadata: { ...WITH_FINALIZER, ...RECORDED },
    before: { keys: { [CLASS]: 'nginx' }, metadata: { ...WITH_FINALIZER, ...RECORDED } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'a removed class before our cleanup ends, if the inventory shows our load balancer': {
    metadata: WITH_FINALIZER,
    before: { keys: { [CLASS]: 'nginx' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    facts: MADE,
    finds: [],
  },
  'a removed class before our cleanup of a user-managed load balancer ends': {
    keys: { id: 'lb-1' },
    metadata: WITH_FINALIZER,
    before: { keys: { id: 'lb-1', [CLASS]: 'nginx' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    facts: SHARED,
    finds: [],
  },
  'a removed class if a label names our load balancer, but our finalizer is missing': {
    metadata: RECORDED,
    before: { keys: { [CLASS]: 'nginx' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: MADE,
    finds: [`${CLASS}=`],
  },
  'a removed class on a Service without a load balancer': { before: { keys: { [CLASS]: 'nginx' } }, finds: [] },
  'a class instead of another class': {
    keys: { [CLASS]: 'a' },
    before: { keys: { [CLASS]: 'b' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'a Service that becomes a load balancer': { before: { type: 'ClusterIP' }, finds: [] },
});
