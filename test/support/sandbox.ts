import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/errors.ts';
import { apiClient, type ApiClient } from '../../src/local/api-client.ts';
import type { Credential } from '../../src/local/pki.ts';
import { recordedProcesses, signalProcess } from '../../src/local/process.ts';
import type { JournalEntry } from '../../src/local/simulator/simulator.ts';
import { printProgress } from '../../src/local/progress.ts';
import { repositoryRoot } from '../../src/local/repository.ts';
import { binFolder, kubeletCredentialFile, logsFolder } from '../../src/local/sandbox-files.ts';
import { sandboxFolder, type SandboxPart } from '../../src/local/sandbox-record.ts';
import type { Sandbox } from '../../src/local/sandbox-handle.ts';
import { down, up } from '../../src/local/up/up.ts';
import { atExit } from './exit-hook.ts';
import { kubectlOf, type Kubectl } from './kubectl.ts';
import { watchLogs } from './failure-logs.ts';
import { evaluateSandbox } from './invariants/sandbox-history.ts';
import { claim, isClaimed } from './folder-claim.ts';
import { noteCall } from './permission-usage/calls.ts';
import { isGathering } from './permission-usage/recorded-uses.ts';
import { noteRequests } from './permission-usage/requests.ts';

/** A complete sandbox for a test, with the processes from `dist/`. Its disposal checks the invariants that need no cloud state. */
export interface TestSandbox extends Sandbox, Kubectl, AsyncDisposable {
  /** Client for API paths with JSON bodies, as an administrator. */
  readonly client: ApiClient;
  /** Returns the simulator's answer under `/_simulator/`. A body makes the request a POST. */
  readonly simulator: (path: string, body?: unknown) => Promise<unknown>;
}

interface SandboxInput {
  readonly without?: readonly SandboxPart[];
  /** False for many long-lived Services, because without the cloud state their periodic reads look like needless calls. */
  readonly isChecked?: boolean;
}

const PREFIX = 'test-';
const OWNER = '.owner';
const never = new AbortController().signal;
let count = 0;

/** Starts a sandbox in about ten seconds. Declare it with `await using`. Its logs are deleted with it, and printed when a test fails. */
export async function startSandbox({ without = [], isChecked = true }: SandboxInput = {}): Promise<TestSandbox> {
  await sweepLeftOvers();
  count += 1;
  const name = `${PREFIX}${process.pid}-${count}`;
  const folder = sandboxFolder(repositoryRoot(), name);
  mkdirSync(join(folder, '..'), { recursive: true });
  claim(folder + OWNER);
  const unwatch = watchLogs(logsFolder(folder));
  const forget = atExit(() => {
    for (const left of recordedProcesses(folder)) signalProcess(left, 'SIGKILL');
    remove(folder);
  });
  const options = { name, progress: printProgress(process.stderr), signal: never, clock: systemClock };
  const { sandbox } = await up({ ...options, without, env: process.env });
  const client = apiClient(
    sandbox.record.address,
    JSON.parse(readFileSync(kubeletCredentialFile(folder), 'utf8')) as Credential,
  );
  return {
    ...sandbox,
    ...kubectlOf(join(binFolder(folder), 'kubectl'), sandbox.record.environment['KUBECONFIG'] ?? ''),
    client,
    simulator: (path, body) => askSimulator(sandbox.record.environment['SIMULATOR_URL'] ?? '', path, body),
    [Symbol.asyncDispose]: async () => {
      const violations = await last(sandbox, isChecked).catch((error: unknown) => [messageOf(error)]);
      await client.close();
      await down(options);
      forget();
      unwatch();
      remove(folder);
      assert.deepEqual(violations, []);
    },
  };
}

/** Runs the final checks of a sandbox. Returns the violated invariants. */
async function last(sandbox: Sandbox, isChecked: boolean): Promise<readonly string[]> {
  await noteUse(sandbox);
  return isChecked ? (await evaluateSandbox(sandbox)).violations : [];
}

/** Records the API server requests and cloud calls of the processes. */
async function noteUse({ logs, record }: Sandbox): Promise<void> {
  if (!isGathering()) return;
  noteRequests(logs);
  const journal = await askSimulator(record.environment['SIMULATOR_URL'] ?? '', 'journal?since=0', undefined);
  for (const call of journal as readonly JournalEntry[]) noteCall(call);
}

async function askSimulator(url: string, path: string, body: unknown): Promise<unknown> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${url}/_simulator/${path}`, init);
  if (!answer.ok) throw new Error(`simulator: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

function remove(folder: string): void {
  for (const path of [folder, folder + OWNER, `${folder}.lock`]) rmSync(path, { recursive: true, force: true });
}

/** Stops the processes of killed test runs. */
async function sweepLeftOvers(): Promise<void> {
  const sandboxes = join(repositoryRoot(), '.sandbox');
  mkdirSync(sandboxes, { recursive: true });
  const names = readdirSync(sandboxes).filter((name) => new RegExp(`^${PREFIX}\\d+-\\d+$`).test(name));
  for (const name of names.filter((found) => !isClaimed(join(sandboxes, found) + OWNER))) {
    await down({ name, progress: printProgress(process.stderr), signal: never, clock: systemClock });
    remove(join(sandboxes, name));
  }
}
