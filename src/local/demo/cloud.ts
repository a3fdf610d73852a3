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

/** What the simulated cloud holds and was asked, and a way to make it misbehave. */
export interface Cloud {
  loadBalancers(): Promise<readonly CloudLoadBalancer[]>;
  /** Those that were not there from the beginning of the VPC. */
  routes(): Promise<readonly CloudRoute[]>;
  /** The calls after the `since`-th, without those of the inventory's regular look at the region. */
  calls(since: number): Promise<readonly CloudCall[]>;
  /** The number of the last call so far, of whoever. */
  lastCall(): Promise<number>;
  /** Arms one fault; see `docs/simulator.md`. */
  arm(fault: object): Promise<void>;
  /** Makes things, or takes them away, as people do behind the controller's back; answers their ids. See `docs/simulator.md`. */
  seed(things: object): Promise<unknown>;
}

const INVENTORY = 'portcullis-inventory/';

/** The calls that were for this load balancer: that name it, or are about something of it. Others may have been made meanwhile. */
export const callsFor = (calls: readonly CloudCall[], { id, name }: CloudLoadBalancer): readonly CloudCall[] =>
  calls.filter(({ subject, parameters }) => {
    const said = JSON.stringify(parameters);
    return subject === id || said.includes(id) || said.includes(name);
  });

/** `url` is the simulator's own address, without a slash at its end. */
export function createCloud(url: string, signal: AbortSignal): Cloud {
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/_simulator/${path}`, { ...init, signal });
    if (!answer.ok) throw new Error(`the simulator answered ${answer.status} to ${path}: ${await answer.text()}`);
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
    seed: (things) => post('seed', things),
  };
}
