import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { rootLogger } from '../../base/log.ts';
import { administratorOf } from '../administrator-api-client.ts';
import { startEgressProxy } from '../api-server-egress-proxy.ts';
import { NAMESPACE, readRecord, type SandboxPart, type SandboxRecord } from '../sandbox-record.ts';
import { Kubelet } from './kubelet.ts';
import { machineOf } from './part-launch-inputs.ts';
import { Tokens } from './tokens.ts';

// The kubelet process of a sandbox. The process also runs the egress proxy of kube-apiserver.

/** The milliseconds between two passes of the kubelet, by the state of the sandbox. Frequent passes shorten the start. */
const STARTING_MS = 150;
const READY_MS = 1000;

async function serve(folder: string, signal: AbortSignal): Promise<void> {
  const log = rootLogger('info');
  const record = readRecord(folder);
  const client = administratorOf(record);
  const kubelet = new Kubelet({
    client,
    clock: systemClock,
    tokens: new Tokens(client, NAMESPACE, systemClock),
    namespace: NAMESPACE,
    folder,
    machine: (part: SandboxPart) => machineOf(record, part),
    warn: (message) => log.warn(message),
    restarted: (part) => log.info({ part }, 'process restarted after it ended'),
  });
  await using stack = new AsyncDisposableStack();
  stack.use(await startEgressProxy(record.egressSocket, (target) => kubelet.route(target, signal)));
  stack.defer(() => client.close());
  log.info({ socket: record.egressSocket }, 'egress proxy listening');
  while (!signal.aborted) {
    await kubelet.reconcile(signal);
    await systemClock.sleep(waitMs(readRecord(folder)), signal).catch(() => undefined);
  }
}

const waitMs = ({ state }: SandboxRecord): number => (state === 'starting' ? STARTING_MS : READY_MS);

const ending = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
try {
  await serve(join(process.argv[2] ?? ''), ending.signal);
} catch (error) {
  process.stderr.write(`kubelet: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
