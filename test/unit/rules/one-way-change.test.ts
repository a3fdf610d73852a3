import type { ClassicLoadBalancerStatus } from '../../../src/inventory/custom-resources.ts';
import { oneWayChange } from '../../../src/rules/one-way-change.ts';
import type { FactsInput } from '../../support/facts.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const HTTP = { 'protocol-port': 'http:80' };
const ID = { id: 'lb-1' };
const OVERRIDE = { ...ID, 'force-override-listeners': 'true' };
const BY_BANDWIDTH = { 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayBySpec' };

const OWN: FactsInput = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } };

const MADE: Pick<RuleRow, 'isYetToCome' | 'metadata' | 'facts'> = {
  isYetToCome: true,
  metadata: { finalizers: ['service.k8s.alibaba/resources'] },
  facts: OWN,
};

const WITH_FINALIZER = {
  finalizers: ['service.k8s.alibaba/resources'],
  labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' },
};
/** A Service that is no longer synced, and whose load balancer still exists. */
const ABANDONED: Pick<RuleRow, 'isYetToCome' | 'metadata' | 'before' | 'facts'> = {
  isYetToCome: true,
  metadata: WITH_FINALIZER,
  before: { type: 'ClusterIP' },
  facts: OWN,
};

/** Returns listeners that stayed on the user-managed load balancer. */
const left = (...listeners: ClassicLoadBalancerStatus['listeners']): FactsInput => ({
  loadBalancers: { 'lb-1': { listeners } },
});
const WITH_WRR = { port: 80, protocol: 'tcp', service: 'shop/web', scheduler: 'wrr' } as const;
const HASHED = { ...OVERRIDE, scheduler: 'sch' };

/** Some changes cannot be reverted in the cloud, so users must decide with this knowledge. In `finds`, `?` marks a warning. */
describeRule(oneWayChange, {
  'a hash instead of rr': { was: { scheduler: 'rr' }, keys: { scheduler: 'sch' }, finds: ['scheduler=sch'] },
  'a hash instead of no scheduler': { was: {}, keys: { scheduler: 'tch' }, finds: ['scheduler=tch'] },
  'another hash instead of a hash': { was: { scheduler: 'sch' }, keys: { scheduler: 'tch' }, finds: ['scheduler=tch'] },
  'wrr instead of a hash, which cannot be restored': {
    was: { scheduler: 'sch' },
    keys: { scheduler: 'wrr' },
    finds: ['scheduler=wrr?'],
  },
  'a removed hash, which cannot be restored': { was: { scheduler: 'sch' }, keys: {}, finds: ['scheduler=?'] },
  'a removed hash of a deleted listener': {
    was: { scheduler: 'sch' },
    keys: HTTP,
    finds: [],
  },
  'a removed hash of a listener that never had the hash': {
    was: { ...HTTP, scheduler: 'sch' },
    keys: HTTP,
    finds: [],
  },
  'a removed hash of two listeners, of which only one had the hash': {
    was: { ...HTTP, scheduler: 'sch' },
    keys: HTTP,
    input: { ports: [80, 81] },
    finds: ['scheduler=?'],
  },
  'a hash for a listener that cannot have a hash, which another rule reports': {
    was: HTTP,
    keys: { ...HTTP, scheduler: 'sch' },
    finds: [],
  },
  'a hash that is removed together with force-override-listeners': { was: HASHED, keys: ID, finds: [] },
  'a removed hash of listeners that were never managed': {
    was: { ...ID, scheduler: 'sch' },
    keys: OVERRIDE,
    finds: [],
  },
  'a removed hash without a load balancer': {
    was: { scheduler: 'sch' },
    keys: {},
    isYetToCome: true,
    finds: [],
  },
  'rr instead of a hash that was requested during the cleanup': {
    ...ABANDONED,
    was: { scheduler: 'sch' },
    keys: { scheduler: 'rr' },
    finds: [],
  },
  'an invalid scheduler instead of a hash': { was: { scheduler: 'sch' }, keys: { scheduler: 'hash' }, finds: [] },
  'an unchanged hash': { was: { scheduler: 'sch' }, keys: { scheduler: 'sch' }, finds: [] },
  'a hash for a listener that is created again': { was: HTTP, keys: { scheduler: 'sch' }, finds: [] },
  'a hash without a load balancer': { was: {}, keys: { scheduler: 'sch' }, isYetToCome: true, finds: [] },
  'a hash on a new load balancer without a listener': {
    ...MADE,
    was: {},
    keys: { scheduler: 'sch' },
    finds: [],
  },
  'a hash that may be the previous scheduler, during a cleanup': {
    ...ABANDONED,
    was: {},
    keys: { scheduler: 'sch' },
    finds: ['scheduler=sch?'],
  },
  'a hash instead of rr that was requested during the cleanup': {
    ...ABANDONED,
    was: { scheduler: 'rr' },
    keys: { scheduler: 'sch' },
    finds: ['scheduler=sch?'],
  },
  'a hash that was already requested during the cleanup': {
    ...ABANDONED,
    was: { scheduler: 'sch' },
    keys: { scheduler: 'sch' },
    finds: [],
  },
  'a hash that may be the previous scheduler, with a removed tunnel type': {
    metadata: WITH_FINALIZER,
    facts: OWN,
    was: { 'tunnel-type': 'tunnel' },
    keys: { scheduler: 'sch' },
    finds: ['scheduler=sch?'],
  },
  'a hash with a removed tunnel type, with a listener with wrr in the inventory': {
    metadata: WITH_FINALIZER,
    facts: left(WITH_WRR),
    was: { ...HASHED, scheduler: 'wrr', 'tunnel-type': 'tunnel' },
    keys: HASHED,
    finds: ['scheduler=sch'],
  },
  'PayBySpec, with PayByCLCU requested during the cleanup': {
    ...ABANDONED,
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'bandwidth that only a creation allows, during a cleanup': {
    ...ABANDONED,
    was: {},
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['instance-charge-type=PayBySpec?', 'bandwidth=5120?'],
  },
  'PayBySpec after PayByCLCU, with a new load balancer that does not serve yet': {
    ...MADE,
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec'],
  },
  'PayBySpec after PayByCLCU, with a new load balancer that the inventory lacks': {
    ...MADE,
    facts: {},
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'PayBySpec after no charge type, with a new load balancer that does not serve yet': {
    ...MADE,
    was: {},
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'a hash for unmanaged listeners': { was: ID, keys: { ...ID, scheduler: 'sch' }, finds: [] },
  'a hash for listeners that become managed': { was: ID, keys: { ...OVERRIDE, scheduler: 'sch' }, finds: [] },
  'a hash for listeners that were overridden before': {
    was: OVERRIDE,
    keys: { ...OVERRIDE, scheduler: 'sch' },
    finds: ['scheduler=sch'],
  },
  'a hash of a new Service, with a remaining listener with wrr': {
    keys: HASHED,
    facts: left(WITH_WRR),
    finds: ['scheduler=sch'],
  },
  'a hash, with a remaining listener with another hash': {
    keys: HASHED,
    facts: left({ ...WITH_WRR, scheduler: 'tch' }),
    finds: ['scheduler=sch'],
  },
  'a hash, with a remaining listener with the same hash': {
    keys: HASHED,
    facts: left({ ...WITH_WRR, scheduler: 'sch' }),
    finds: [],
  },
  'a hash, with a remaining listener with an unknown scheduler': {
    keys: HASHED,
    facts: left({ port: 80, protocol: 'tcp', service: 'shop/web' }),
    finds: [],
  },
  'rr, with a remaining listener with a hash': {
    keys: { ...OVERRIDE, scheduler: 'rr' },
    facts: left({ ...WITH_WRR, scheduler: 'sch' }),
    finds: [],
  },
  'a hash for unmanaged listeners, with a remaining listener with wrr': {
    keys: { ...ID, scheduler: 'sch' },
    facts: left(WITH_WRR),
    finds: [],
  },
  "a hash, with another Service's remaining listener with wrr": {
    keys: HASHED,
    facts: left({ ...WITH_WRR, service: 'shop/api' }),
    finds: [],
  },
  'a hash, with a remaining listener with wrr on another port or protocol': {
    keys: HASHED,
    facts: left({ ...WITH_WRR, protocol: 'udp' }, { ...WITH_WRR, port: 81 }),
    finds: [],
  },
  'a hash, with a remaining listener with wrr in a stale inventory': {
    keys: HASHED,
    facts: { ...left(WITH_WRR), freshness: { kind: 'stale', ageMs: 3_600_000 } },
    finds: ['scheduler=sch?'],
  },
  'a hash of a Service that adds the id of a load balancer with a remaining listener': {
    isYetToCome: true,
    was: { scheduler: 'sch' },
    keys: HASHED,
    facts: left(WITH_WRR),
    finds: ['scheduler=sch'],
  },
  'a hash of a Service that starts to manage a remaining listener with wrr': {
    was: { ...ID, scheduler: 'sch' },
    keys: HASHED,
    facts: left(WITH_WRR),
    finds: ['scheduler=sch'],
  },
  'a hash instead of wrr in annotation and listener, reported once': {
    was: { ...OVERRIDE, scheduler: 'wrr' },
    keys: HASHED,
    facts: left(WITH_WRR),
    finds: ['scheduler=sch'],
  },
  'PayByCLCU after PayBySpec': {
    was: { 'instance-charge-type': 'PayBySpec' },
    keys: { 'instance-charge-type': 'PayByCLCU' },
    finds: ['instance-charge-type=PayByCLCU?'],
  },
  'PayByCLCU after no charge type': { was: {}, keys: { 'instance-charge-type': 'PayByCLCU' }, finds: [] },
  'PayBySpec after PayByCLCU': {
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec'],
  },
  'PayBySpec after no charge type': {
    was: {},
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'paybybandwidth on a load balancer that may have PayByCLCU': {
    was: {},
    keys: { 'charge-type': 'paybybandwidth' },
    finds: ['charge-type=paybybandwidth?'],
  },
  'paybybandwidth with PayBySpec': {
    was: { 'instance-charge-type': 'PayBySpec' },
    keys: BY_BANDWIDTH,
    finds: [],
  },
  'paybybandwidth of a private load balancer': {
    was: {},
    keys: { 'charge-type': 'paybybandwidth', 'address-type': 'intranet' },
    finds: [],
  },
  'paybytraffic, effective the next day': {
    was: BY_BANDWIDTH,
    keys: { ...BY_BANDWIDTH, 'charge-type': 'paybytraffic' },
    finds: ['charge-type=paybytraffic?'],
  },
  'an added paybytraffic': { was: {}, keys: { 'charge-type': 'paybytraffic' }, finds: [] },
  'bandwidth that only a creation allows': {
    was: { ...BY_BANDWIDTH, bandwidth: '5000' },
    keys: { ...BY_BANDWIDTH, bandwidth: '5001' },
    finds: ['bandwidth=5001'],
  },
  'bandwidth that only a creation allows, which the load balancer may already have': {
    was: {},
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['instance-charge-type=PayBySpec?', 'bandwidth=5120?'],
  },
  'bandwidth that only a creation allows, after paybybandwidth without bandwidth': {
    was: BY_BANDWIDTH,
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['bandwidth=5120?'],
  },
  'bandwidth that only a creation allows, with an added paybybandwidth': {
    was: { 'instance-charge-type': 'PayBySpec', bandwidth: '5120' },
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['bandwidth=5120'],
  },
  'bandwidth that only a creation allows, of a private load balancer': {
    was: { ...BY_BANDWIDTH, 'address-type': 'intranet' },
    keys: { ...BY_BANDWIDTH, 'address-type': 'intranet', bandwidth: '5120' },
    finds: [],
  },
  'unchanged bandwidth that only a creation allows': {
    was: { ...BY_BANDWIDTH, bandwidth: '5120' },
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: [],
  },
  'bandwidth without paybybandwidth': { was: {}, keys: { bandwidth: '5001' }, finds: [] },
} satisfies Record<string, RuleRow>);
