import { controllerChange } from '../../../../webhook/rules/controller-change.ts';
import { loadBalancerChange } from '../../../../webhook/rules/load-balancer-change.ts';
import { HAS_ADDRESS, on } from '../../../support/found.ts';

const CLASS = 'service.beta.kubernetes.io/class';
const TUNNEL = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type';
const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';
const NLB = { loadBalancerClass: 'alibabacloud.com/nlb' };
const RECORDED = { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };
const HELD = { finalizers: ['service.k8s.alibaba/resources'] };
/** What is mirrored of the load balancer that was made for the Service, and of one of people on which it has a listener. */
const MADE = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } } as const;
const SHARED = {
  loadBalancers: { 'lb-1': { owner: 'nobody', listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
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

const PEOPLES = { loadBalancers: { 'lb-1': { address: '47.96.0.1' } } } as const;
const GOING = { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } };

on(loadBalancerChange, {
  'an id given together with another type: its own goes all the same': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': { address: '47.96.0.9' } } },
    finds: [],
  },
  'an id given while the Service is being deleted': {
    keys: { id: 'lb-1' },
    ...GOING,
    before: GOING,
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an id taken away together with the type, with which the address goes that would tell whose the label is': {
    type: 'ClusterIP',
    metadata: RECORDED,
    before: { keys: { id: 'lb-1' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: PEOPLES,
    finds: ['id='],
  },
  'an id taken away while a class is given, which a label still tells': {
    keys: { [CLASS]: 'nginx' },
    metadata: RECORDED,
    before: { keys: { id: 'lb-1' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an id taken away while a class is given, behind a host name, which a label still tells': {
    keys: { [CLASS]: 'nginx' },
    metadata: RECORDED,
    before: { keys: { id: 'lb-1', hostname: 'web.example.com' }, metadata: RECORDED },
    ingress: [{ hostname: 'web.example.com' }],
    finds: [],
  },
  'an id and its label taken away while a class is given, which the address still tells': {
    keys: { [CLASS]: 'nginx' },
    before: { keys: { id: 'lb-1' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: PEOPLES,
    finds: [],
  },
  'the same, of a load balancer that the mirror does not have': {
    keys: { [CLASS]: 'nginx' },
    before: { keys: { id: 'lb-1' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    finds: ['id=?'],
  },
  'an id and its label taken away while a class is given, behind an elastic address': {
    keys: { [CLASS]: 'nginx' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: PEOPLES,
    finds: ['id='],
  },
  'an id and its label taken away while a class is given, behind a host name': {
    keys: { [CLASS]: 'nginx' },
    before: { keys: { id: 'lb-1', hostname: 'web.example.com' }, metadata: RECORDED },
    ingress: [{ hostname: 'web.example.com' }],
    facts: PEOPLES,
    finds: ['id='],
  },
  'another id while the Service is being deleted, without the label, behind a host name': {
    keys: { id: 'lb-2' },
    ...GOING,
    before: { keys: { id: 'lb-1', hostname: 'web.example.com' }, ...GOING },
    ingress: [{ hostname: 'web.example.com' }],
    facts: PEOPLES,
    finds: ['id=lb-2'],
  },
  'another id behind an elastic address': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2?'],
  },
  'another id behind an elastic address, of a Service that says which load balancer it has': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2'],
  },
  'an id and an elastic address given together': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip' },
    metadata: RECORDED,
    before: { metadata: RECORDED },
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-2': { address: '47.96.0.9' } } },
    finds: ['id=lb-2'],
  },
  'an id behind a host name, of a Service that says which load balancer it has': {
    keys: { id: 'lb-2', hostname: 'web.example.com' },
    before: { keys: { hostname: 'web.example.com' }, metadata: RECORDED },
    ingress: [{ hostname: 'web.example.com' }],
    finds: ['id=lb-2'],
  },
  'the id of the load balancer that the Service says to have, behind an elastic address': {
    keys: { id: 'lb-1', 'external-ip-type': 'eip' },
    before: { keys: { 'external-ip-type': 'eip' }, metadata: RECORDED },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an elastic address that is not heeded beside a host name': {
    keys: { id: 'lb-2', 'external-ip-type': 'eip', hostname: 'web.example.com' },
    before: { keys: { 'external-ip-type': 'eip', hostname: 'web.example.com' } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2'],
  },
  'an id taken away behind an elastic address': {
    keys: { 'external-ip-type': 'eip' },
    before: { keys: { id: 'lb-1', 'external-ip-type': 'eip' } },
    ingress: HAS_ADDRESS,
    finds: ['id='],
  },
  'the id of the very load balancer that it has': {
    keys: { id: 'lb-1' },
    before: {},
    ingress: HAS_ADDRESS,
    facts: { loadBalancers: { 'lb-1': { address: '47.96.0.1' } } },
    finds: [],
  },
  'an id that cannot be read, which is told of by itself': {
    keys: { id: 'LB' },
    before: {},
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'an id given while there is no load balancer': { keys: { id: 'lb-1' }, before: {}, finds: [] },
  'another id given to a Service that takes a class back before it is given up': {
    keys: { id: 'lb-2' },
    metadata: { ...HELD, ...RECORDED },
    before: { keys: { id: 'lb-1', [CLASS]: 'nginx' }, metadata: { ...HELD, ...RECORDED } },
    ingress: HAS_ADDRESS,
    finds: ['id=lb-2'],
  },
  'an id given to a Service of another controller': {
    keys: { id: 'lb-1' },
    before: { keys: { [CLASS]: 'nginx' } },
    ingress: HAS_ADDRESS,
    finds: [],
  },
});
