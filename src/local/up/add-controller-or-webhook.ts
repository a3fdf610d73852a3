import { connect } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { PortcullisError } from '../../base/errors.ts';
import type { Lease } from '../../base/kubernetes-objects.ts';
import { durationOf, fingerprintOf, holderOf } from '../../kubernetes/lease-record.ts';
import { administratorOf } from '../administrator-api-client.ts';
import type { ApiClient } from '../api-client.ts';
import { recordedProcesses } from '../process.ts';
import { repositoryRoot } from '../repository.ts';
import { attachSandbox, type Sandbox } from '../sandbox-handle.ts';
import { findRecord, sandboxFolder, writeRecord, type SandboxPart } from '../sandbox-record.ts';
import { sandboxVariable, requireCore } from './running-process-check.ts';
import { withSandboxLock } from './sandbox-lock.ts';
import { untilActive } from './install.ts';
import type { SandboxOptions } from './option-types.ts';

/** Starts a part in a running sandbox. Returns whether the part already ran. */
export async function addPart(part: SandboxPart, options: SandboxOptions): Promise<boolean> {
  const folder = sandboxFolder(repositoryRoot(), options.name);
  return withSandboxLock(folder, options, async () => {
    const sandbox = runningSandbox(folder, options);
    if (sandbox.pid(part) !== undefined) return true;
    const { record } = sandbox;
    const client = administratorOf(record);
    try {
      if (part === 'controller') await requireFreeLease(client, options);
      else await requireFreePort(sandbox);
      await options.progress.step(part, () => startReady(sandbox, part, options.signal));
      if (part === 'webhook') await options.progress.step('webhooks active', () => untilActive(client, options.signal));
    } finally {
      await client.close();
    }
    writeRecord({ ...record, without: record.without.filter((name) => name !== part) });
    return false;
  });
}

function runningSandbox(folder: string, { name }: SandboxOptions): Sandbox {
  const record = findRecord(folder);
  if (record?.state !== 'ready' || recordedProcesses(folder).length === 0) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `sandbox ${name} does not run: start it with "${sandboxVariable(name)}make up"`,
    );
  }
  requireCore(record);
  return attachSandbox(folder);
}

/** Starts a part. Kills the part and throws if the part does not become ready. */
async function startReady(sandbox: Sandbox, part: SandboxPart, signal: AbortSignal): Promise<void> {
  try {
    await sandbox.start(part, signal);
    await sandbox.ready(part, signal);
  } catch (error) {
    await sandbox.kill(part);
    throw error;
  }
}

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm';
const POLL_MS = 250;
const LEASE_MS = 15_000;

interface LeaseOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Resolves when the Lease is free or has expired. Throws `InvalidConfiguration` if its holder renews the Lease, because the holder still runs. */
export async function requireFreeLease(
  client: Pick<ApiClient, 'find'>,
  { clock, signal }: LeaseOptions,
): Promise<void> {
  const read = async (): Promise<Lease | undefined> => (await client.find(LEASE, signal)) as Lease | undefined;
  const first = await read();
  const isFree = (lease: Lease | undefined): boolean => lease === undefined || holderOf(lease) === '';
  if (first === undefined || isFree(first)) return;
  const end = clock.monotonic() + durationOf(first, LEASE_MS);
  while (clock.monotonic() < end) {
    await clock.sleep(POLL_MS, signal);
    const lease = await read();
    if (lease === undefined || isFree(lease)) return;
    if (fingerprintOf(lease) === fingerprintOf(first)) continue;
    throw new PortcullisError(
      'InvalidConfiguration',
      `another controller holds the Lease kube-system/ccm: ${holderOf(lease)}. Stop that controller, and try again`,
    );
  }
}

/** Throws `InvalidConfiguration` if another process listens on the port of the webhook. */
async function requireFreePort({ record }: Sandbox): Promise<void> {
  const port = record.ports.webhook['https'] ?? 0;
  if (!(await isAnswered(port))) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    `another webhook listens on 127.0.0.1:${port}. Stop that webhook, and try again`,
  );
}

const isAnswered = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answered: boolean) => () => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
