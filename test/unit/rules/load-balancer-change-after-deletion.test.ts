import { loadBalancerChange } from '../../../src/rules/load-balancer-change.ts';
import { HAS_ADDRESS, describeViolations } from '../../support/rule-violations.ts';

const WITH_FINALIZER = { finalizers: ['service.k8s.alibaba/resources'] };
const STALE = { kind: 'stale', ageMs: 600_000 } as const;
const OTHER = { owner: 'user', address: '47.96.0.2' } as const;

/** The binding records the first load balancer, and the inventory shows that this load balancer was deleted. */
const DELETED = {
  metadata: WITH_FINALIZER,
  ingress: HAS_ADDRESS,
  before: { keys: { id: 'lb-1' }, metadata: WITH_FINALIZER },
  facts: { bound: { id: 'lb-1', isOwned: false, address: '47.96.0.1' }, loadBalancers: { 'lb-2': OTHER } },
} as const;
/** Another load balancer has the address, and the controller binds it. */
const REPLACED = {
  ...DELETED,
  facts: { ...DELETED.facts, loadBalancers: { 'lb-2': OTHER, 'lb-3': { owner: 'user', address: '47.96.0.1' } } },
} as const;

/** After a user deleted the load balancer, the Service must be able to name another load balancer. In `finds`, `?` marks a warning. */
describe('after the load balancer in the binding was deleted,', () =>
  describeViolations(loadBalancerChange, {
    'the id of a load balancer with the published address': {
      ...REPLACED,
      keys: { id: 'lb-3' },
      finds: [],
    },
    'another id, while a third load balancer has the published address': {
      ...REPLACED,
      keys: { id: 'lb-2' },
      finds: ['id=lb-2'],
    },
    'another id': { ...DELETED, keys: { id: 'lb-2' }, finds: ['id=lb-2?'] },
    'a removed id': { ...DELETED, finds: ['id=?'] },
    'another id, while the inventory is stale': {
      ...DELETED,
      facts: { ...DELETED.facts, freshness: STALE },
      keys: { id: 'lb-2' },
      finds: ['id=lb-2?'],
    },
    'another id on a Service without a published address': {
      ...DELETED,
      ingress: [],
      keys: { id: 'lb-2' },
      finds: [],
    },
    'an id after the deletion of an owned load balancer, without a published address': {
      ...DELETED,
      facts: { ...DELETED.facts, bound: { id: 'lb-own', isOwned: true } },
      ingress: [],
      before: { metadata: WITH_FINALIZER },
      keys: { id: 'lb-2' },
      finds: [],
    },
  }));
