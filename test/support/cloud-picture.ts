import type { Simulator } from '../../src/local/simulator/simulator.ts';

interface Group {
  readonly id: string;
  readonly name: string;
}

interface StateOfLoadBalancer {
  readonly id: string;
  readonly serverGroups: readonly Group[];
}

interface Domain {
  readonly loadBalancerId: string;
  readonly port: number;
  readonly domain: string;
  readonly certificateId: string;
}

/** The fields and tags that the picture omits. The tag of reuse is omitted, because it intentionally stays after the cleanup of the last Service. */
const LEFT_OUT = new Set(['id', 'address', 'createdAt', 'requestId', 'now', 'kubernetes.reused.by.user']);

/** Returns the load balancers without values that differ in each run, so that tests can compare two runs. Groups are identified by name. */
export function cloudPicture(simulator: Simulator): unknown {
  const { loadBalancers, domainExtensions } = simulator.state() as {
    readonly loadBalancers: readonly StateOfLoadBalancer[];
    readonly domainExtensions: readonly Domain[];
  };
  return loadBalancers.map((loadBalancer) => pictureOf(loadBalancer, domainExtensions));
}

/** Returns the domain extensions of listeners. Empty if there are none. */
function domainsOf({ id }: StateOfLoadBalancer, all: readonly Domain[]): object {
  const own = all.filter(({ loadBalancerId }) => loadBalancerId === id);
  const texts = own.map(({ port, domain, certificateId }) => `${port} ${domain} ${certificateId}`).sort();
  return texts.length === 0 ? {} : { domains: texts };
}

function pictureOf(stored: StateOfLoadBalancer, domains: readonly Domain[]): unknown {
  const loadBalancer = { ...stored, ...domainsOf(stored, domains) };
  const names = new Map(loadBalancer.serverGroups.map(({ id, name }) => [id, name]));
  const text = JSON.stringify(loadBalancer, (key, value: unknown) => {
    if (LEFT_OUT.has(key)) return undefined;
    if (key === 'VServerGroupId' && typeof value === 'string') return names.get(value) ?? value;
    return Array.isArray(value) ? value.map((item) => JSON.stringify(item, sorted)).sort() : value;
  });
  return JSON.parse(text);

  function sorted(key: string, value: unknown): unknown {
    if (LEFT_OUT.has(key)) return undefined;
    if (Array.isArray(value)) return value.toSorted(byText);
    return key === 'VServerGroupId' && typeof value === 'string' ? (names.get(value) ?? value) : value;
  }
}

/** Sorts the members of a set, such as backends, because the cloud lists them in the order of their addition. */
const byText = (left: unknown, right: unknown): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);

/** Returns the number of load balancers ever created. */
export const loadBalancersCreated = (simulator: Simulator): number =>
  new Set(
    simulator
      .journal()
      .filter(({ action, outcome }) => action === 'CreateLoadBalancer' && outcome === 'OK')
      .map(({ subject }) => subject),
  ).size;
