import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import type { SeedInput } from '../../src/local/simulator/seed.ts';
import { buildServer } from '../../src/local/simulator/server.ts';
import { signRpc } from '../../src/local/simulator/signature.ts';
import {
  createSimulator,
  type Call,
  type JournalEntry,
  type Reply,
  type Simulator,
  type SimulatorOptions,
} from '../../src/local/simulator/simulator.ts';
import { notingCalls } from './used/calls.ts';

export const REGION = 'cn-hangzhou';
export const VERSION = { Slb: '2014-05-15', Vpc: '2016-04-28', Ecs: '2014-05-26', Sts: '2015-04-01' } as const;
export type Product = keyof typeof VERSION;

/** The key that every simulator of the tests knows; the one of the published test vectors. */
export const ACCESS_KEY = { id: 'testid', secret: 'testsecret' } as const;

/** A VPC `vpc-1` (10.0.0.0/8) with the vSwitch `vsw-1` and the instances `i-1`, `i-2`, … at 10.1.0.11, 10.1.0.12, … */
export const aNetwork = (instances = 3): SeedInput => ({
  vpcs: [{ id: 'vpc-1', cidrBlock: '10.0.0.0/8' }],
  routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1' }],
  vSwitches: [{ id: 'vsw-1', vpcId: 'vpc-1', cidrBlock: '10.1.0.0/16', zoneId: `${REGION}-a` }],
  instances: Array.from({ length: instances }, (_, index) => ({
    id: `i-${index + 1}`,
    name: `node-${index + 1}`,
    vSwitchId: 'vsw-1',
    privateAddresses: [`10.1.0.${index + 11}`],
  })),
});

export interface SimulatorSetup extends Partial<SimulatorOptions> {
  /** Planted at the start; `aNetwork()` unless told. */
  readonly world?: SeedInput;
}

/** A simulator in this process, with `ACCESS_KEY` and a network. */
export function aSimulator({ world = aNetwork(), clock = systemClock, ...options }: SimulatorSetup = {}): Simulator {
  const watcher = notingCalls(options.watcher);
  const simulator = createSimulator({ clock, ...options, ...(watcher === undefined ? {} : { watcher }) });
  simulator.keys.add({ ...ACCESS_KEY, caller: simulator.owner });
  simulator.seed(world);
  return simulator;
}

/** Parameters as a person writes them; numbers become text, `undefined` is left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export const wire = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

export const aCall = (action: string, parameters: Parameters = {}, product: Product = 'Slb'): Call => ({
  version: VERSION[product],
  action,
  parameters: wire({ RegionId: REGION, ...parameters }),
  userAgent: 'test',
});

const never = new AbortController().signal;

/** What an answer says, as plain data. */
export type Body = Readonly<Record<string, unknown>>;

/** Calls a simulator in this process as a test likes to: parameters in, parsed answers out. */
export interface Caller {
  /** The answer as it is. */
  readonly send: (action: string, parameters?: Parameters, product?: Product, signal?: AbortSignal) => Promise<Reply>;
  /** The parsed answer of a call that has to succeed. */
  readonly ok: (action: string, parameters?: Parameters, product?: Product) => Promise<Body>;
  /** The code, or status and code where the status is not 400, of a call that has to be refused. */
  readonly refused: (action: string, parameters?: Parameters, product?: Product) => Promise<string>;
}

export const parsed = (reply: Reply): Body => JSON.parse(reply.body) as Body;

export function callerOf(simulator: Simulator): Caller {
  const send: Caller['send'] = (action, parameters, product, signal = never) =>
    simulator.execute(aCall(action, parameters, product), signal);
  return {
    send,
    ok: async (...call) => {
      const reply = await send(...call);
      assert.equal(reply.status, 200, `${call[0]} was refused: ${reply.body}`);
      return parsed(reply);
    },
    refused: async (...call) => {
      const reply = await send(...call);
      assert.notEqual(reply.status, 200, `${call[0]} was not refused: ${reply.body}`);
      const code = String(parsed(reply)['Code']);
      return reply.status === 400 ? code : `${reply.status} ${code}`;
    },
  };
}

/** A simulator behind HTTP on a free port of 127.0.0.1, closed by `await using`. */
export interface SimulatorServer extends AsyncDisposable {
  readonly simulator: Simulator;
  /** Such as `http://127.0.0.1:40000`. */
  readonly url: string;
  /** Host and port, as the SDK's `endpoint` wants it. */
  readonly host: string;
  /** `POST` to the admin interface; the answer has to be of this status. */
  readonly admin: (path: string, body: unknown, status?: number) => Promise<unknown>;
  readonly journal: (since?: number) => Promise<readonly JournalEntry[]>;
}

export async function startSimulator(setup: SimulatorSetup = {}): Promise<SimulatorServer> {
  const simulator = aSimulator(setup);
  const server = buildServer(simulator);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const host = `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    simulator,
    url,
    host,
    admin: async (path, body, status = 200) => {
      const answer = await fetch(`${url}/_simulator/${path}`, { method: 'POST', body: JSON.stringify(body) });
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      return JSON.parse(text) as unknown;
    },
    journal: async (since = 0) =>
      (await (await fetch(`${url}/_simulator/journal?since=${since}`)).json()) as JournalEntry[],
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export interface SignedOptions {
  readonly method?: 'GET' | 'POST';
  /** Where the parameters go. */
  readonly into?: 'query' | 'form';
  readonly key?: { readonly id: string; readonly secret: string; readonly token?: string };
  readonly clock?: Clock;
  /** Changes the signed parameters, or what is sent after signing. */
  readonly before?: (parameters: Record<string, string>) => void;
  readonly after?: (parameters: Record<string, string>) => void;
}

/** A request in the older signature scheme, ready for `fetch`. */
export function rpcRequest(
  url: string,
  { action, version, parameters }: Pick<Call, 'action' | 'version' | 'parameters'>,
  { method = 'POST', into = 'query', key = ACCESS_KEY, clock = systemClock, before, after }: SignedOptions = {},
): Request {
  const all: Record<string, string> = {
    ...parameters,
    Action: action,
    Version: version,
    Format: 'JSON',
    Timestamp: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
    SignatureNonce: randomUUID(),
    SignatureMethod: 'HMAC-SHA1',
    SignatureVersion: '1.0',
    AccessKeyId: key.id,
    ...('token' in key ? { SecurityToken: key.token } : {}),
  };
  before?.(all);
  all['Signature'] = signRpc(method, Object.entries(all), key.secret).signature;
  after?.(all);
  const text = new URLSearchParams(all);
  return into === 'form'
    ? new Request(url, { method: 'POST', body: text })
    : new Request(`${url}/?${text.toString()}`, { method });
}
