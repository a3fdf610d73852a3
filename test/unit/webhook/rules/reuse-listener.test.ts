import { reuseListener } from '../../../../webhook/rules/reuse-listener.ts';
import { HAS_ADDRESS, on } from '../../../support/found.ts';

const OVERRIDE = { id: 'lb-1', 'force-override-listeners': 'true' };
const SERVED = { loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp' }] } } } as const;
const ASKED = { holders: { 'lb-1': [['shop/web', 80, 'tcp']] } } as const;
const MINE = {
  loadBalancers: { 'lb-1': { listeners: [{ port: 80, protocol: 'tcp', service: 'shop/web' }] } },
} as const;

on(reuseListener, {
  'a listener of somebody else, on creation': {
    keys: OVERRIDE,
    facts: SERVED,
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'its own listener, left from before it was made anew': { keys: OVERRIDE, facts: MINE, finds: [] },
  'its own listener, on the way back from another type': {
    keys: OVERRIDE,
    before: { keys: OVERRIDE, type: 'ClusterIP' },
    facts: MINE,
    finds: [],
  },
  'the listener of another Service of its name, in another namespace': {
    keys: OVERRIDE,
    metadata: { namespace: 'office' },
    facts: MINE,
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'its own listener, as the controller looks at it': { keys: OVERRIDE, facts: { ...MINE, ...ASKED }, finds: [] },
  'its own listener, in an update': {
    keys: OVERRIDE,
    before: { keys: OVERRIDE },
    ingress: HAS_ADDRESS,
    facts: { ...MINE, ...ASKED },
    finds: [],
  },
  'a port added where somebody else listens': {
    keys: OVERRIDE,
    ports: [80, 443],
    before: { keys: OVERRIDE, ports: [443] },
    ingress: HAS_ADDRESS,
    facts: { ...SERVED, holders: { 'lb-1': [['shop/web', 443, 'tcp']] } },
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'a listener of somebody else, for whom the Service has made way so far': {
    keys: OVERRIDE,
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { ...SERVED, ...ASKED },
    finds: ['spec.ports[0].port=80/tcp~'],
  },
  'a listener of its own, which was left to people meanwhile': {
    keys: OVERRIDE,
    before: { keys: { id: 'lb-1' } },
    ingress: HAS_ADDRESS,
    facts: { ...MINE, ...ASKED },
    finds: ['spec.ports[0].port=80/tcp?'],
  },
  'listeners that are let go': {
    keys: { id: 'lb-1' },
    before: { keys: OVERRIDE },
    ingress: HAS_ADDRESS,
    facts: { ...MINE, ...ASKED },
    finds: ['force-override-listeners=?'],
  },
  'a load balancer without listeners, where none is made': {
    keys: { id: 'lb-1', 'force-override-listeners': 'false' },
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: ['force-override-listeners=false?'],
  },
  'a load balancer without listeners, where they are made': {
    keys: OVERRIDE,
    facts: { loadBalancers: { 'lb-1': {} } },
    finds: [],
  },
  'listeners on other ports, which may lead to any group': {
    keys: { id: 'lb-1' },
    ports: [81],
    facts: SERVED,
    finds: [],
  },
  'a port that another Service has, while this one leaves the listeners alone': {
    keys: { id: 'lb-1' },
    facts: { ...SERVED, holders: { 'lb-1': [['shop/other', 80, 'tcp']] } },
    finds: [],
  },
  'a mapping that cannot be read': {
    keys: { ...OVERRIDE, 'protocol-port': 'http80' },
    facts: SERVED,
    finds: [],
  },
});
