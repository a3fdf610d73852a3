import { controllerChange } from '../../../src/rules/controller-change.ts';
import { HAS_ADDRESS, on } from '../../support/found.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const TUNNEL = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type';
const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const HELD = { finalizers: ['service.k8s.alibaba/resources'] };
/** Inventory with the owned load balancer, and inventory with a user-managed load balancer on which the Service has a listener. */
const MADE = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } } as const;
const SHARED = {
  loadBalancers: { 'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
} as const;

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
  'a type that no controller reads': {
    keys: { [TYPE]: 'NLB' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
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
  'a class taken back from one that another controller serves, though it is still held': {
    metadata: HELD,
    before: { keys: { [CLASS]: 'nginx' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [`${CLASS}=`],
  },
  'a class taken back before what was made here is given up, as a label tells': {
    metadata: { ...HELD, ...RECORDED },
    before: { keys: { [CLASS]: 'nginx' }, metadata: { ...HELD, ...RECORDED } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'the same, as the mirror tells': {
    metadata: HELD,
    before: { keys: { [CLASS]: 'nginx' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    facts: MADE,
    finds: [],
  },
  'the same of a load balancer of people, as its listener tells': {
    keys: { id: 'lb-1' },
    metadata: HELD,
    before: { keys: { id: 'lb-1', [CLASS]: 'nginx' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    facts: SHARED,
    finds: [],
  },
  'a class taken from one of which only a label says that it was served here': {
    metadata: RECORDED,
    before: { keys: { [CLASS]: 'nginx' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: MADE,
    finds: [`${CLASS}=`],
  },
  'a class taken from one that has none': { before: { keys: { [CLASS]: 'nginx' } }, finds: [] },
  'a class that stays': { keys: { [CLASS]: 'a' }, before: { keys: { [CLASS]: 'b' } }, ingress: HAS_ADDRESS, finds: [] },
  'a Service that becomes a load balancer': { before: { type: 'ClusterIP' }, finds: [] },
});
