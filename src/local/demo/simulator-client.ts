import { z } from 'zod';

const Backend = z.object({
  serverId: z.string(),
  serverIp: z.string().optional(),
  port: z.number().optional(),
  weight: z.number(),
});
const ServerGroup = z.object({ id: z.string(), name: z.string(), backends: z.array(Backend) });
const Listener = z.object({
  port: z.number(),
  protocol: z.string(),
  status: z.string(),
  attributes: z.record(z.string(), z.unknown()),
});
const LoadBalancer = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string(),
  tags: z.record(z.string(), z.string()),
  listeners: z.array(Listener),
  serverGroups: z.array(ServerGroup),
});
const Route = z.object({ destination: z.string(), nextHopId: z.string(), type: z.string(), status: z.string() });
const State = z.object({
  loadBalancers: z.array(LoadBalancer),
  routeTables: z.array(z.object({ entries: z.array(Route) })),
});
const Call = z.object({
  n: z.number(),
  userAgent: z.string(),
  product: z.string().optional(),
  action: z.string(),
  kind: z.enum(['read', 'write']).optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  subject: z.string().optional(),
});

export type CloudLoadBalancer = z.output<typeof LoadBalancer>;
export type CloudCall = z.output<typeof Call>;
export type CloudRoute = z.output<typeof Route>;

/** The demo's access to the simulator. The steps read resources and recorded calls to check effects in the cloud, and cause faults. */
export interface DemoCloud {
  loadBalancers(): Promise<readonly CloudLoadBalancer[]>;
  /** Returns the custom routes, without the system routes of the VPC. */
  routes(): Promise<readonly CloudRoute[]>;
  /** Returns the calls after call number `since`, without the calls of the inventory controller. */
  calls(since: number): Promise<readonly CloudCall[]>;
  /** Returns the number of the last call of any client. Steps pass the number to `calls` later. */
  lastCall(): Promise<number>;
  /** Makes the simulator apply a fault to a later call; see `docs/reference/simulator.md`. */
  arm(fault: object): Promise<void>;
  /** Creates or deletes resources without a recorded call. Returns the ids; see `docs/reference/simulator.md`. */
  seed(resources: object): Promise<unknown>;
}

/** A part of the user agent that only the inventory controller's calls have. */
const INVENTORY = 'portcullis-inventory/';

/** Returns the calls that change the load balancer, and the calls with its id or name in a parameter. */
export const callsFor = (calls: readonly CloudCall[], { id, name }: CloudLoadBalancer): readonly CloudCall[] =>
  calls.filter(({ subject, parameters }) => {
    const words = JSON.stringify(parameters).split(/[^A-Za-z0-9-]+/);
    return subject === id || words.includes(id) || words.includes(name);
  });

/** Creates the client of the simulator. `url` has no slash at its end. */
export function createCloud(url: string, signal: AbortSignal): DemoCloud {
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/_simulator/${path}`, { ...init, signal });
    if (!answer.ok)
      throw new Error(`the simulator responded to ${path} with HTTP status ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const post = (path: string, body: object): Promise<unknown> =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const state = async (): Promise<z.output<typeof State>> => State.parse(await ask('state'));
  const journal = async (since: number): Promise<readonly CloudCall[]> =>
    z.array(Call).parse(await ask(`journal?since=${since}`));
  return {
    loadBalancers: async () => (await state()).loadBalancers,
    routes: async () =>
      (await state()).routeTables.flatMap(({ entries }) => entries.filter(({ type }) => type === 'Custom')),
    calls: async (since) => (await journal(since)).filter(({ userAgent }) => !userAgent.includes(INVENTORY)),
    lastCall: async () => (await journal(0)).at(-1)?.n ?? 0,
    arm: async (fault) => {
      await post('faults', [fault]);
    },
    seed: (resources) => post('seed', resources),
  };
}
