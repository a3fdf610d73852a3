import { z } from 'zod';

const Backend = z.object({ serverId: z.string(), port: z.number().optional(), weight: z.number() });
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
const State = z.object({ loadBalancers: z.array(LoadBalancer) });
const Call = z.object({ n: z.number(), userAgent: z.string(), product: z.string().optional(), action: z.string() });

export type CloudLoadBalancer = z.output<typeof LoadBalancer>;
export type CloudCall = z.output<typeof Call>;

/** What the simulated cloud holds and was asked, and a way to make it misbehave. */
export interface Cloud {
  loadBalancers(): Promise<readonly CloudLoadBalancer[]>;
  /** The calls after the `since`-th, without those of the inventory's regular look at the region. */
  calls(since: number): Promise<readonly CloudCall[]>;
  /** The number of the last call so far, of whoever. */
  lastCall(): Promise<number>;
  /** Arms one fault; see `docs/simulator.md`. */
  arm(fault: object): Promise<void>;
}

const INVENTORY = 'portcullis-inventory/';

/** `url` is the simulator's own address, without a slash at its end. */
export function createCloud(url: string, signal: AbortSignal): Cloud {
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/_simulator/${path}`, { ...init, signal });
    if (!answer.ok) throw new Error(`the simulator answered ${answer.status} to ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const journal = async (since: number): Promise<readonly CloudCall[]> =>
    z.array(Call).parse(await ask(`journal?since=${since}`));
  return {
    loadBalancers: async () => State.parse(await ask('state')).loadBalancers,
    calls: async (since) => (await journal(since)).filter(({ userAgent }) => !userAgent.includes(INVENTORY)),
    lastCall: async () => (await journal(0)).at(-1)?.n ?? 0,
    arm: async (fault) => {
      await ask('faults', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([fault]),
      });
    },
  };
}
