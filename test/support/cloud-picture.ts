import type { Simulator } from '../../src/local/simulator/simulator.ts';

interface Group {
  readonly id: string;
  readonly name: string;
}

interface StateOfLoadBalancer {
  readonly serverGroups: readonly Group[];
}

const ACCIDENTAL = new Set(['id', 'address', 'createdAt', 'requestId', 'now']);

/** What the cloud has of load balancers, without what is different each time: ids, addresses and dates; groups are told by name. */
export function cloudPicture(simulator: Simulator): unknown {
  const { loadBalancers } = simulator.state() as { readonly loadBalancers: readonly StateOfLoadBalancer[] };
  return loadBalancers.map((loadBalancer) => pictureOf(loadBalancer));
}

function pictureOf(loadBalancer: StateOfLoadBalancer): unknown {
  const names = new Map(loadBalancer.serverGroups.map(({ id, name }) => [id, name]));
  const text = JSON.stringify(loadBalancer, (key, value: unknown) => {
    if (ACCIDENTAL.has(key)) return undefined;
    if (key === 'VServerGroupId' && typeof value === 'string') return names.get(value) ?? value;
    return Array.isArray(value) ? value.map((item) => JSON.stringify(item, sorted)).sort() : value;
  });
  return JSON.parse(text);

  function sorted(key: string, value: unknown): unknown {
    if (ACCIDENTAL.has(key)) return undefined;
    return key === 'VServerGroupId' && typeof value === 'string' ? (names.get(value) ?? value) : value;
  }
}

/** How many different load balancers were ever created. */
export const loadBalancersCreated = (simulator: Simulator): number =>
  new Set(
    simulator
      .journal()
      .filter(({ action, outcome }) => action === 'CreateLoadBalancer' && outcome === 'OK')
      .map(({ subject }) => subject),
  ).size;
