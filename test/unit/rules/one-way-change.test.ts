import type { ClassicLoadBalancerStatus } from '../../../src/inventory/resource.ts';
import { oneWayChange } from '../../../src/rules/one-way-change.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { describeRule, type RuleRow } from '../../support/rule-rows.ts';

const HTTP = { 'protocol-port': 'http:80' };
const ID = { id: 'lb-1' };
const OVERRIDE = { ...ID, 'force-override-listeners': 'true' };
const BY_BANDWIDTH = { 'charge-type': 'paybybandwidth', 'instance-charge-type': 'PayBySpec' };

const OWN: FactsSaid = { loadBalancers: { 'lb-1': { owner: 'this-cluster', service: 'shop/web' } } };

const MADE: Pick<RuleRow, 'isYetToCome' | 'metadata' | 'facts'> = {
  isYetToCome: true,
  metadata: { finalizers: ['service.k8s.alibaba/resources'] },
  facts: OWN,
};

const HELD = {
  finalizers: ['service.k8s.alibaba/resources'],
  labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' },
};
/** A Service that is no longer synced, and whose load balancer still exists. */
const GIVEN_UP: Pick<RuleRow, 'isYetToCome' | 'metadata' | 'before' | 'facts'> = {
  isYetToCome: true,
  metadata: HELD,
  before: { type: 'ClusterIP' },
  facts: OWN,
};

/** Returns listeners that stayed on the user-managed load balancer. */
const left = (...listeners: ClassicLoadBalancerStatus['listeners']): FactsSaid => ({
  loadBalancers: { 'lb-1': { listeners } },
});
const IN_TURN = { port: 80, protocol: 'tcp', service: 'shop/web', scheduler: 'wrr' } as const;
const HASHED = { ...OVERRIDE, scheduler: 'sch' };

describeRule(oneWayChange, {
  'a hash in place of turns': { was: { scheduler: 'rr' }, keys: { scheduler: 'sch' }, finds: ['scheduler=sch'] },
  'a hash in place of nothing said': { was: {}, keys: { scheduler: 'tch' }, finds: ['scheduler=tch'] },
  'one hash in place of another': { was: { scheduler: 'sch' }, keys: { scheduler: 'tch' }, finds: ['scheduler=tch'] },
  'turns in place of a hash, for good': {
    was: { scheduler: 'sch' },
    keys: { scheduler: 'wrr' },
    finds: ['scheduler=wrr?'],
  },
  'a hash that is asked for no more, for good': { was: { scheduler: 'sch' }, keys: {}, finds: ['scheduler=?'] },
  'a hash that is asked for no more of a listener that goes': {
    was: { scheduler: 'sch' },
    keys: HTTP,
    finds: [],
  },
  'a hash that is asked for no more of a listener that never had it': {
    was: { ...HTTP, scheduler: 'sch' },
    keys: HTTP,
    finds: [],
  },
  'a hash that is asked for no more of one listener that had it, and of one that never did': {
    was: { ...HTTP, scheduler: 'sch' },
    keys: HTTP,
    said: { ports: [80, 81] },
    finds: ['scheduler=?'],
  },
  'a hash for a listener that can have none, which is said elsewhere': {
    was: HTTP,
    keys: { ...HTTP, scheduler: 'sch' },
    finds: [],
  },
  'a hash that is asked for no more with the listeners': { was: HASHED, keys: ID, finds: [] },
  'a hash that is asked for no more of listeners that were never managed': {
    was: { ...ID, scheduler: 'sch' },
    keys: OVERRIDE,
    finds: [],
  },
  'a hash that is asked for no more while there is no load balancer': {
    was: { scheduler: 'sch' },
    keys: {},
    isYetToCome: true,
    finds: [],
  },
  'turns where a load balancer is given up that asked for a hash since': {
    ...GIVEN_UP,
    was: { scheduler: 'sch' },
    keys: { scheduler: 'rr' },
    finds: [],
  },
  'what is no scheduler in place of a hash': { was: { scheduler: 'sch' }, keys: { scheduler: 'hash' }, finds: [] },
  'a hash that was there before': { was: { scheduler: 'sch' }, keys: { scheduler: 'sch' }, finds: [] },
  'a hash for a listener that is made anew': { was: HTTP, keys: { scheduler: 'sch' }, finds: [] },
  'a hash while there is no load balancer': { was: {}, keys: { scheduler: 'sch' }, isYetToCome: true, finds: [] },
  'a hash where a load balancer was made that has no listener yet': {
    ...MADE,
    was: {},
    keys: { scheduler: 'sch' },
    finds: [],
  },
  'a hash where a load balancer is given up, which may have had it before': {
    ...GIVEN_UP,
    was: {},
    keys: { scheduler: 'sch' },
    finds: ['scheduler=sch?'],
  },
  'a hash in place of turns that were asked for once the load balancer was given up': {
    ...GIVEN_UP,
    was: { scheduler: 'rr' },
    keys: { scheduler: 'sch' },
    finds: ['scheduler=sch?'],
  },
  'a hash that is asked for also while the load balancer is given up': {
    ...GIVEN_UP,
    was: { scheduler: 'sch' },
    keys: { scheduler: 'sch' },
    finds: [],
  },
  'a hash where a class is taken back, and the listener may have had it before': {
    metadata: HELD,
    facts: OWN,
    was: { 'tunnel-type': 'tunnel' },
    keys: { scheduler: 'sch' },
    finds: ['scheduler=sch?'],
  },
  'a hash where a class is taken back, and the mirror knows that the listener takes turns': {
    metadata: HELD,
    facts: left(IN_TURN),
    was: { ...HASHED, scheduler: 'wrr', 'tunnel-type': 'tunnel' },
    keys: HASHED,
    finds: ['scheduler=sch'],
  },
  'by specification, where by use was asked for once the load balancer was given up': {
    ...GIVEN_UP,
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'more bandwidth than can be had later, where the load balancer is given up, which may have had it before': {
    ...GIVEN_UP,
    was: {},
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['instance-charge-type=PayBySpec?', 'bandwidth=5120?'],
  },
  'by specification, after by use, where a load balancer was made that serves nobody yet': {
    ...MADE,
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec'],
  },
  'the same where it is only known that one was begun': {
    ...MADE,
    facts: {},
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'by specification, after nothing said, where a load balancer was made that serves nobody yet': {
    ...MADE,
    was: {},
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'a hash for listeners that are not managed': { was: ID, keys: { ...ID, scheduler: 'sch' }, finds: [] },
  'a hash for listeners that are managed from now on': { was: ID, keys: { ...OVERRIDE, scheduler: 'sch' }, finds: [] },
  'a hash for listeners taken over before': {
    was: OVERRIDE,
    keys: { ...OVERRIDE, scheduler: 'sch' },
    finds: ['scheduler=sch'],
  },
  'a hash of one that is created, where a listener of its name takes turns': {
    keys: HASHED,
    facts: left(IN_TURN),
    finds: ['scheduler=sch'],
  },
  'a hash where a listener of its name has another hash': {
    keys: HASHED,
    facts: left({ ...IN_TURN, scheduler: 'tch' }),
    finds: ['scheduler=sch'],
  },
  'a hash where a listener of its name has that one': {
    keys: HASHED,
    facts: left({ ...IN_TURN, scheduler: 'sch' }),
    finds: [],
  },
  'a hash where nothing is known of what a listener of its name has': {
    keys: HASHED,
    facts: left({ port: 80, protocol: 'tcp', service: 'shop/web' }),
    finds: [],
  },
  'turns where a listener of its name has a hash': {
    keys: { ...OVERRIDE, scheduler: 'rr' },
    facts: left({ ...IN_TURN, scheduler: 'sch' }),
    finds: [],
  },
  'a hash where a listener takes turns that nobody manages': {
    keys: { ...ID, scheduler: 'sch' },
    facts: left(IN_TURN),
    finds: [],
  },
  'a hash where a listener of another Service takes turns': {
    keys: HASHED,
    facts: left({ ...IN_TURN, service: 'shop/api' }),
    finds: [],
  },
  'a hash where a listener of its name takes turns on another port, or on another protocol': {
    keys: HASHED,
    facts: left({ ...IN_TURN, protocol: 'udp' }, { ...IN_TURN, port: 81 }),
    finds: [],
  },
  'a hash where a listener of its name took turns a while ago': {
    keys: HASHED,
    facts: { ...left(IN_TURN), freshness: { kind: 'stale', ageMs: 3_600_000 } },
    finds: ['scheduler=sch?'],
  },
  'a hash of one that has none yet and names a load balancer with a listener of its name': {
    isYetToCome: true,
    was: { scheduler: 'sch' },
    keys: HASHED,
    facts: left(IN_TURN),
    finds: ['scheduler=sch'],
  },
  'a hash of one that manages from now on a listener of its name, which takes turns': {
    was: { ...ID, scheduler: 'sch' },
    keys: HASHED,
    facts: left(IN_TURN),
    finds: ['scheduler=sch'],
  },
  'a hash in place of turns, told once': {
    was: { ...OVERRIDE, scheduler: 'wrr' },
    keys: HASHED,
    facts: left(IN_TURN),
    finds: ['scheduler=sch'],
  },
  'by use, after by specification': {
    was: { 'instance-charge-type': 'PayBySpec' },
    keys: { 'instance-charge-type': 'PayByCLCU' },
    finds: ['instance-charge-type=PayByCLCU?'],
  },
  'by use, after nothing said': { was: {}, keys: { 'instance-charge-type': 'PayByCLCU' }, finds: [] },
  'by specification, after by use': {
    was: { 'instance-charge-type': 'PayByCLCU' },
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec'],
  },
  'by specification, after nothing said': {
    was: {},
    keys: { 'instance-charge-type': 'PayBySpec' },
    finds: ['instance-charge-type=PayBySpec?'],
  },
  'by bandwidth, where the load balancer may be by use': {
    was: {},
    keys: { 'charge-type': 'paybybandwidth' },
    finds: ['charge-type=paybybandwidth?'],
  },
  'by bandwidth, where it is by specification': {
    was: { 'instance-charge-type': 'PayBySpec' },
    keys: BY_BANDWIDTH,
    finds: [],
  },
  'by bandwidth, where there is none': {
    was: {},
    keys: { 'charge-type': 'paybybandwidth', 'address-type': 'intranet' },
    finds: [],
  },
  'by traffic, from the next day on': {
    was: BY_BANDWIDTH,
    keys: { ...BY_BANDWIDTH, 'charge-type': 'paybytraffic' },
    finds: ['charge-type=paybytraffic?'],
  },
  'by traffic, said for the first time': { was: {}, keys: { 'charge-type': 'paybytraffic' }, finds: [] },
  'more bandwidth than can be had later': {
    was: { ...BY_BANDWIDTH, bandwidth: '5000' },
    keys: { ...BY_BANDWIDTH, bandwidth: '5001' },
    finds: ['bandwidth=5001'],
  },
  'more bandwidth than can be had later, where none was said: it may have been taken out and be put back': {
    was: {},
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['instance-charge-type=PayBySpec?', 'bandwidth=5120?'],
  },
  'more bandwidth than can be had later, where none was said of what is paid by it': {
    was: BY_BANDWIDTH,
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['bandwidth=5120?'],
  },
  'more bandwidth than can be had later, which is paid for from now on': {
    was: { 'instance-charge-type': 'PayBySpec', bandwidth: '5120' },
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: ['bandwidth=5120'],
  },
  'more bandwidth than can be had later, where there is none': {
    was: { ...BY_BANDWIDTH, 'address-type': 'intranet' },
    keys: { ...BY_BANDWIDTH, 'address-type': 'intranet', bandwidth: '5120' },
    finds: [],
  },
  'more bandwidth than can be had later, as it was made': {
    was: { ...BY_BANDWIDTH, bandwidth: '5120' },
    keys: { ...BY_BANDWIDTH, bandwidth: '5120' },
    finds: [],
  },
  'bandwidth that is not paid for': { was: {}, keys: { bandwidth: '5001' }, finds: [] },
} satisfies Record<string, RuleRow>);
