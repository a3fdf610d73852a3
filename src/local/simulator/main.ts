import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { readInput } from './admin-input.ts';
import { AdminError } from './error.ts';
import { SettingsChange } from './settings-schema.ts';
import { buildServer } from './server.ts';
import { createSimulator, type Simulator } from './simulator.ts';

/*
 * The simulator as a process, which `make up` starts for each sandbox. Tests create a `Simulator` in their own process instead.
 */

const USAGE = `usage: simulator [flags]
  --port NUMBER        port on 127.0.0.1; 0 picks a free one (default 0)
  --ready-file FILE    file for the URL of the simulator, written when it listens
  --seed-file FILE     JSON as for POST /_simulator/seed: the resources at the start and after a reset
  --random-seed NUMBER equal numbers generate equal ids (default 1)
  --region ID          region of all resources (default cn-hangzhou)
  --settings JSON      settings as for POST /_simulator/settings
The access key comes from ACCESS_KEY_ID and ACCESS_KEY_SECRET, or from the accessKeys of the seed file.`;

const OPTIONS = {
  port: { type: 'string', default: '0' },
  'ready-file': { type: 'string' },
  'seed-file': { type: 'string' },
  'random-seed': { type: 'string', default: '1' },
  region: { type: 'string', default: 'cn-hangzhou' },
  settings: { type: 'string', default: '{}' },
  help: { type: 'boolean', default: false },
} as const;

/** An error in the flags. The program prints the message and exits with code 2. */
class UsageError extends Error {}

type Flags = ReturnType<typeof readFlags>;

function readFlags() {
  try {
    return parseArgs({ options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function whole(flag: string, raw: string, max: number): number {
  if (/^\d{1,10}$/.test(raw) && Number(raw) <= max) return Number(raw);
  throw new UsageError(`--${flag}: found "${raw}", expected a whole number from 0 to ${max}`);
}

function json(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${flag}: not JSON: ${messageOf(error)}`);
  }
}

function fileOf(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--${flag}: ${messageOf(error)}`);
  }
}

function prepare(flags: Flags): Simulator {
  const path = flags['seed-file'];
  const simulator = createSimulator({
    clock: systemClock,
    randomSeed: whole('random-seed', flags['random-seed'], 2 ** 32 - 1),
    regionId: flags.region,
    settings: readInput(SettingsChange, json('settings', flags.settings), 'settings'),
    ...(path === undefined ? {} : { seedFile: json('seed-file', fileOf('seed-file', path)) }),
  });
  const { ACCESS_KEY_ID: id, ACCESS_KEY_SECRET: secret } = process.env;
  if (id && secret) simulator.keys.add({ id, secret, caller: simulator.owner });
  if (simulator.keys.ids().length === 0) {
    throw new UsageError('no access key: set ACCESS_KEY_ID and ACCESS_KEY_SECRET, or add accessKeys to the seed file');
  }
  return simulator;
}

/** Writes the URL to the ready file atomically, because a waiting process reads the file concurrently. */
function announce(path: string, url: string): void {
  writeFileSync(`${path}.new`, `${url}\n`);
  renameSync(`${path}.new`, path);
}

async function serve(flags: Flags): Promise<void> {
  const port = whole('port', flags.port, 65_535);
  const server = buildServer(prepare(flags));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
  await server.listen({ host: '127.0.0.1', port });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const readyFile = flags['ready-file'];
  if (readyFile !== undefined) announce(readyFile, url);
  process.stdout.write(`the simulator listens on ${url}\n`);
}

try {
  const flags = readFlags();
  if (flags.help) process.stdout.write(`${USAGE}\n`);
  else await serve(flags);
} catch (error) {
  process.stderr.write(`simulator: ${messageOf(error)}\n`);
  process.exitCode = error instanceof UsageError || error instanceof AdminError ? 2 : 1;
}
