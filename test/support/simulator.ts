import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import type { SeedInput } from '../../src/local/simulator/seed.ts';
import { buildServer } from '../../src/local/simulator/server.ts';
import { signRpc } from '../../src/local/simulator/signature.ts';
import {
  createSimulator,
  type SimulatedCall,
  type JournalEntry,
  type Reply,
  type Simulator,
  type SimulatorOptions,
} from '../../src/local/simulator/simulator.ts';
import { notingCalls } from './permission-usage/calls.ts';

export const REGION = 'cn-hangzhou';
export const VERSION = { Slb: '2014-05-15', Vpc: '2016-04-28', Ecs: '2014-05-26', Sts: '2015-04-01' } as const;
export type Product = keyof typeof VERSION;

/** Access key of every simulator in tests, from the published test vectors. */
export const ACCESS_KEY = { id: 'testid', secret: 'testsecret' } as const;

/** Returns a VPC `vpc-1` (10.0.0.0/8) with vSwitch `vsw-1` and instances `i-1`, `i-2`, … at 10.1.0.11, 10.1.0.12, … */
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
  /** Initial resources. Defaults to `aNetwork()`. */
  readonly world?: SeedInput;
}

/** Creates a simulator of the cloud in this process, with `ACCESS_KEY` and a network. */
export function aSimulator({ world = aNetwork(), clock = systemClock, ...options }: SimulatorSetup = {}): Simulator {
  const watcher = notingCalls(options.watcher);
  const simulator = createSimulator({ clock, ...options, ...(watcher === undefined ? {} : { watcher }) });
  simulator.keys.add({ ...ACCESS_KEY, caller: simulator.owner });
  simulator.seed(world);
  return simulator;
}

/** Parameters of a call. Numbers become text, and `undefined` is omitted. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export const wire = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

export const aCall = (action: string, parameters: Parameters = {}, product: Product = 'Slb'): SimulatedCall => ({
  version: VERSION[product],
  action,
  parameters: wire({ RegionId: REGION, ...parameters }),
  userAgent: 'test',
});

const never = new AbortController().signal;

/** The content of an answer, as plain data. */
export type Body = Readonly<Record<string, unknown>>;

/** Calls a simulator in this process with parameters, and returns parsed answers. */
export interface Caller {
  /** Returns the unparsed answer. */
  readonly send: (action: string, parameters?: Parameters, product?: Product, signal?: AbortSignal) => Promise<Reply>;
  /** Returns the parsed answer of a call that must succeed. */
  readonly ok: (action: string, parameters?: Parameters, product?: Product) => Promise<Body>;
  /** Returns the error code of a call that must be rejected, preceded by the status unless 400. */
  readonly rejected: (action: string, parameters?: Parameters, product?: Product) => Promise<string>;
}

export const parsed = (reply: Reply): Body => JSON.parse(reply.body) as Body;

export function callerOf(simulator: Simulator): Caller {
  const send: Caller['send'] = (action, parameters, product, signal = never) =>
    simulator.execute(aCall(action, parameters, product), signal);
  return {
    send,
    ok: async (...call) => {
      const reply = await send(...call);
      assert.equal(reply.status, 200, `${call[0]} was rejected: ${reply.body}`);
      return parsed(reply);
    },
    rejected: async (...call) => {
      const reply = await send(...call);
      assert.notEqual(reply.status, 200, `${call[0]} was not rejected: ${reply.body}`);
      const code = String(parsed(reply)['Code']);
      return reply.status === 400 ? code : `${reply.status} ${code}`;
    },
  };
}

/** A simulator behind HTTP on a free port of 127.0.0.1. Declare it with `await using`. */
export interface SimulatorServer extends AsyncDisposable {
  readonly simulator: Simulator;
  /** A URL such as `http://127.0.0.1:40000`. */
  readonly url: string;
  /** Host and port, in the form of the SDK's `endpoint`. */
  readonly host: string;
  /** Sends a `POST` to the admin interface. The answer must have this status. */
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
  /** The location of the parameters. */
  readonly into?: 'query' | 'form';
  readonly key?: { readonly id: string; readonly secret: string; readonly token?: string };
  readonly clock?: Clock;
  /** Changes the signed parameters, or the data sent after signing. */
  readonly before?: (parameters: Record<string, string>) => void;
  readonly after?: (parameters: Record<string, string>) => void;
}

/** Returns a request in the older signature scheme, for `fetch`. */
export function rpcRequest(
  url: string,
  { action, version, parameters }: Pick<SimulatedCall, 'action' | 'version' | 'parameters'>,
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
