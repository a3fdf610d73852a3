import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onCore } from './processor-core.ts';

const SOURCE = join(import.meta.dirname, 'load');

export interface LoadOptions {
  readonly url: string;
  /** Defaults to POST. */
  readonly method?: 'POST' | 'PUT';
  readonly body: string;
  readonly seconds: number;
  /** Requests per second. Undefined for the maximum rate. */
  readonly rate?: number;
  /** The sending time within an interval of the rate, from 0 to 1. Clients with the same rate and different phases never send at the same time. */
  readonly phase?: number;
  readonly connections?: number;
  /** The status of a correct answer. Defaults to 200. */
  readonly status?: number;
  /** The text that a correct answer contains. */
  readonly contains: string;
  /** The files of a client certificate. */
  readonly client?: { readonly certificate: string; readonly key: string };
  /** The core on which the client runs. Undefined for any core. */
  readonly core?: number;
}

/** The latencies of responses, measured from the scheduled time of each request. */
export interface LoadReport {
  readonly answered: number;
  readonly seconds: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the client, in seconds. */
  readonly cpuSeconds: number;
}

/** A Go client that sends requests faster than the measured server responds. The benchmarks of the webhook measure rates and latencies with it. */
export interface Load extends Disposable {
  run(options: LoadOptions): Promise<LoadReport>;
}

async function output(
  command: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${err.trim()}`);
  return out;
}

/** Builds the client with the installed Go within a second. */
export async function buildLoad(): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-load-'));
  const program = join(folder, 'load');
  await output(['go', 'build', '-o', program, '.'], { cwd: SOURCE, env: { ...process.env, GOTOOLCHAIN: 'local' } });
  let bodies = 0;
  return {
    run: async ({
      url,
      method = 'POST',
      body,
      seconds,
      rate = 0,
      phase = 0,
      connections = 25,
      status = 200,
      contains,
      client,
      core,
    }) => {
      bodies += 1;
      const file = join(folder, `body-${bodies}.json`);
      writeFileSync(file, body);
      const flags = { url, method, body: file, seconds, rate, phase, connections, status, contains };
      const all = { ...flags, ...(client === undefined ? {} : { cert: client.certificate, key: client.key }) };
      const args = Object.entries(all).map(([name, value]) => `-${name}=${value}`);
      return JSON.parse(await output(onCore(core, [program, ...args]))) as LoadReport;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
