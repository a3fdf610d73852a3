import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { LeftBehind } from './existing-controller.ts';
import { onNodes } from './existing-controller.ts';
import { annotating } from './load-balancers.ts';

type LoadBalancerSeed = NonNullable<SeedInput['loadBalancers']>[number];

const HERS = { serverId: 'i-9', port: 8080, weight: 40, description: 'hers' };
const made = (over: LoadBalancerSeed = {}): SeedInput => ({
  instances: [{ id: 'i-9', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.90'] }],
  loadBalancers: [{ id: 'lb-made', name: 'by-hand', ...over }],
});
const ID = { id: 'lb-made' };
const OVERRIDE = { ...ID, 'force-override-listeners': 'true' };
const SHARED = { ...ID, 'vgroup-port': 'rsp-hers:80' };
const GROUPS = { serverGroups: [{ id: 'rsp-hers', name: 'hers', backends: [HERS] }] };
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, 'hers']));

/** Services of the Alibaba Cloud Controller Manager that reuse a user-managed load balancer. A takeover must change nothing in the cloud. */
export const REUSED: Readonly<Record<string, LeftBehind>> = {
  'a user-managed load balancer with unmanaged listeners': {
    annotations: ID,
    world: made({ listeners: [{ port: 80, protocol: 'tcp' }] }),
  },
  'a user-managed load balancer with managed listeners': {
    annotations: OVERRIDE,
    world: made(),
    later: annotating({ scheduler: 'wrr' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'a user-managed load balancer with listeners that were managed before': {
    annotations: { ...ID, 'force-override-listeners': 'false' },
    world: made({ listeners: [{ port: 80, protocol: 'tcp', attributes: { Description: 'k8s/80/web/shop/c1' } }] }),
  },
  'a user-managed load balancer with foreign listeners': {
    annotations: OVERRIDE,
    world: made({
      listeners: [
        { port: 8080, protocol: 'tcp' },
        { port: 9090, protocol: 'http', attributes: { Description: 'k8s/9090/other/team/c2' } },
      ],
    }),
    later: annotating({ 'established-timeout': '60' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'a user-managed load balancer with all possible annotations': {
    annotations: {
      ...OVERRIDE,
      name: 'shop',
      spec: 'slb.s2.small',
      'instance-charge-type': 'PayBySpec',
      'delete-protection': 'on',
      'modification-protection': 'ConsoleProtection',
      'address-type': 'internet',
      'additional-resource-tags': 'team=shop',
    },
    world: made({
      name: 'shop',
      spec: 'slb.s2.small',
      deleteProtection: 'on',
      modificationProtection: 'ConsoleProtection',
      tags: { team: 'shop' },
    }),
    later: annotating({ name: 'front' }, 'SetLoadBalancerName'),
  },
  'a user-managed load balancer full of tags, without the reuse tag': {
    annotations: OVERRIDE,
    world: made({ tags: many(10) }),
    isMarked: false,
    later: annotating({ scheduler: 'wrr' }, 'SetLoadBalancerTCPListenerAttribute'),
  },
  'a private user-managed load balancer with a published elastic IP address': {
    annotations: { ...OVERRIDE, 'external-ip-type': 'eip' },
    world: {
      ...made({ addressType: 'intranet', vSwitchId: 'vsw-1', address: '10.1.0.77' }),
      eips: [{ address: '8.0.0.7', instanceId: 'lb-made', instanceType: 'SlbInstance' }],
    },
    ingress: [{ ip: '8.0.0.7' }],
  },
  'a user-managed load balancer of IP version 6': {
    annotations: { ...OVERRIDE, 'ip-version': 'ipv6' },
    world: made({ ipVersion: 'ipv6' }),
  },
  "a user-managed group with a user's members": {
    annotations: SHARED,
    world: made(GROUPS),
  },
  'a user-managed group with a share of the weight': {
    annotations: { ...SHARED, weight: '60' },
    world: made(GROUPS),
    servers: onNodes([20, 20, 20]),
    later: annotating({ weight: '30' }, 'SetVServerGroupAttribute'),
  },
  'a user-managed group with a managed listener': {
    annotations: { ...OVERRIDE, 'vgroup-port': 'rsp-hers:80', weight: '0' },
    world: made(GROUPS),
    servers: onNodes([0, 0, 0]),
  },
  'a user-managed group for the first port, and an owned group for the second': {
    ports: [80, 443],
    annotations: SHARED,
    world: made(GROUPS),
  },
};
