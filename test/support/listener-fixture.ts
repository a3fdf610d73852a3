import { aNetwork, aSimulator, callerOf, type Caller, type Parameters, type SimulatorSetup } from './simulator.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Two load balancers with a server group each, a certificate, and an access control list for each IP version. */
export const WORLD = {
  ...aNetwork(),
  certificates: [{ id: 'cert-1', commonName: 'example.com', expiresAt: '2030-01-01T00:00:00Z' }],
  accessControlLists: [
    { id: 'acl-1', name: 'four' },
    { id: 'acl-6', name: 'six', ipVersion: 'ipv6' as const },
  ],
  loadBalancers: [
    { id: 'lb-1', vSwitchId: 'vsw-1', serverGroups: [{ id: 'rsp-1', name: 'one' }] },
    { id: 'lb-2', serverGroups: [{ id: 'rsp-2', name: 'two' }] },
  ],
};

/** A simulator with the resources of `WORLD`, for unit tests of its listeners. */
export interface Bench extends Caller {
  readonly clock: VirtualClock;
  readonly listener: (port?: number) => Promise<Record<string, unknown>>;
}

export function bench(setup: SimulatorSetup = {}): Bench {
  const clock = new VirtualClock();
  const caller = callerOf(aSimulator({ world: WORLD, clock, ...setup }));
  const listener = async (port = 80): Promise<Record<string, unknown>> => {
    const answer = await caller.ok('DescribeLoadBalancerListeners', { 'LoadBalancerId.1': 'lb-1', ListenerPort: port });
    return ((answer['Listeners'] ?? []) as Record<string, unknown>[])[0] ?? {};
  };
  return { ...caller, clock, listener };
}

export const PORT: Parameters = { LoadBalancerId: 'lb-1', ListenerPort: 80 };
export const TCP: Parameters = { ...PORT, Bandwidth: -1, VServerGroupId: 'rsp-1' };
export const HTTP: Parameters = { ...TCP, HealthCheck: 'off' };
export const HTTPS: Parameters = { ...HTTP, ListenerPort: 443, ServerCertificateId: 'cert-1' };
