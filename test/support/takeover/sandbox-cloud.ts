import assert from 'node:assert/strict';
import type { JournalEntry, SimulatorSettings } from '../../../src/local/simulator/simulator.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { Sandbox } from '../../../src/local/sandbox-handle.ts';
import { REGION, rpcRequest, VERSION, wire, type Body } from '../simulator.ts';
import type { Console } from './existing-controller.ts';

/** The simulator of a sandbox, as test/take-over.ts accesses it from another process. */
export interface SandboxCloud extends Console {
  /** Returns all resources. */
  readonly state: () => Promise<object>;
  readonly cloudSettings: () => Promise<SimulatorSettings>;
  readonly applySettings: (cloudSettings: Partial<SimulatorSettings>) => Promise<void>;
  readonly journal: (since: number) => Promise<readonly JournalEntry[]>;
  /** Resolves when all seeded resources exist. */
  readonly planted: () => Promise<void>;
}

/** Creates a client of the simulator with the sandbox's access key. */
export function sandboxCloud({ record: { environment } }: Sandbox): SandboxCloud {
  const url = environment['SIMULATOR_URL'] ?? '';
  const key = { id: environment['ACCESS_KEY_ID'] ?? '', secret: environment['ACCESS_KEY_SECRET'] ?? '' };
  const admin = async (path: string, body?: unknown): Promise<unknown> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${url}/_simulator/${path}`, init);
    const text = await answer.text();
    assert.ok(answer.ok, `${path} was rejected: ${text}`);
    return JSON.parse(text) as unknown;
  };
  let planting: Promise<unknown> = Promise.resolve();
  return {
    ask: async (action, parameters = {}) => {
      const call = { action, version: VERSION.Slb, parameters: wire({ RegionId: REGION, ...parameters }) };
      const answer = await fetch(rpcRequest(url, call, { key, into: 'form' }));
      const text = await answer.text();
      assert.ok(answer.ok, `${action} was rejected: ${text}`);
      return JSON.parse(text) as Body;
    },
    simulator: {
      seed: (input: SeedInput) => {
        planting = planting.then(() => admin('seed', input));
        return planting;
      },
    },
    planted: async () => {
      await planting;
    },
    state: async () => (await admin('state')) as object,
    cloudSettings: async () => ((await admin('state')) as { readonly settings: SimulatorSettings }).settings,
    applySettings: async (cloudSettings) => {
      await admin('settings', cloudSettings);
    },
    journal: async (since) => (await admin(`journal?since=${since}`)) as readonly JournalEntry[],
  };
}
