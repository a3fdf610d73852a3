import { reuseListener } from '../../../src/rules/reuse-listener.ts';
import { HAS_ADDRESS, describeViolations } from '../../support/rule-violations.ts';

const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const SERVED = { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp' }] } } } as const;
const REQUESTED = { holders: { 'lb-1': [['shop/web', 80, 'tcp']] } } as const;
const MINE = {
  loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
} as const;

/**
 * Annotations have no effect on a listener that a Service may not change.
 * In `finds`, `?` marks a warning, and `~` a violation that is synced anyway.
 */
describeViolations(reuseListener, {
  'a foreign listener, on creation': {
    keys: OVERRIDE,
    facts: SERVED,
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'its own listener, after the Service was created again': { keys: OVERRIDE, facts: MINE, finds: [] },
  'its own listener, after the type ClusterIP': {
    keys: OVERRIDE,
    before: { keys: OVERRIDE, type: 'ClusterIP' },
    facts: MINE,
    finds: [],
  },
  'the listener of a Service with the same name in another namespace': {
    keys: OVERRIDE,
    metadata: { namespace: 'office' },
    facts: MINE,
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'its own listener, evaluated by the controller': { keys: OVERRIDE, facts: { ...MINE, ...REQUESTED }, finds: [] },
  'its own listener, in an update': {
    keys: OVERRIDE,
    before: { keys: OVERRIDE },
    ingress: HAS_ADDRESS,
    facts: { ...MINE, ...REQUESTED },
    finds: [],
  },
  'an added port with a foreign listener': {
    keys: OVERRIDE,
    ports: [80, 443],
    before: { keys: OVERRIDE, ports: [443] },
    ingress: HAS_ADDRESS,
    facts: { ...SERVED, holders: { 'lb-1': [['shop/web', 443, 'tcp']] } },
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'a foreign listener, if force-override-listeners is added': {
    keys: OVERRIDE,
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { ...SERVED, ...REQUESTED },
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'its own listener, if force-override-listeners is added': {
    keys: OVERRIDE,
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { ...MINE, ...REQUESTED },
    finds: ['spec.ports[0].port=80/tcp?'],
  },
  'its own listener, if force-override-listeners is removed': {
    keys: { id: 'lb-1' },
    before: { keys: OVERRIDE },
    ingress: HAS_ADDRESS,
    facts: { ...MINE, ...REQUESTED },
    finds: ['force-override-listeners=?'],
  },
  'no listener on the load balancer, without force-override-listeners': {
    keys: { id: 'lb-1', 'force-override-listeners': 'false' },
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: ['force-override-listeners=false?'],
  },
  'no listener on the load balancer, with force-override-listeners': {
    keys: OVERRIDE,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
  'listeners on other ports, which can use any server group': {
    keys: { id: 'lb-1' },
    ports: [81],
    facts: SERVED,
    finds: [],
  },
  'a port of another Service, without force-override-listeners': {
    keys: { id: 'lb-1' },
    facts: { ...SERVED, holders: { 'lb-1': [['shop/other', 80, 'tcp']] } },
    finds: [],
  },
  'an invalid protocol-port': {
    keys: { ...OVERRIDE, 'protocol-port': 'http80' },
    facts: SERVED,
    finds: [],
  },
});
