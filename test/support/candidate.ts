import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.ts';
import { Election } from '../../src/kubernetes/lease.ts';
import { leadingGauge } from '../../src/kubernetes/metrics.ts';
import { Writer } from '../../src/kubernetes/writer.ts';
import { CONFIG_MAPS } from '../../src/base/kubernetes-objects.ts';
import { transportFor } from './kubernetes-access.ts';

/**
 * A leader candidate for lease.test.ts: `node candidate.ts KUBECONFIG LEASE IDENTITY SECONDS` (lease duration). Prints role changes, and writes
 * ConfigMaps while it leads.
 */
const [kubeconfig = '', lease = '', identity = '', seconds = ''] = process.argv.slice(2);
const CALL_MS = 500;
const transport = await transportFor(kubeconfig);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('stopping')));
let freezesNext = false;
process.once('SIGUSR2', () => {
  freezesNext = true;
});

/** Freezes after the microtasks that decide on a write, and before any network I/O. */
function freezeOnRequest(): void {
  if (freezesNext) process.nextTick(() => process.kill(process.pid, 'SIGSTOP'));
  freezesNext = false;
}

const election = new Election({
  requests: transport,
  clock: systemClock,
  log: pino({ level: 'silent' }),
  leading: leadingGauge(new Registry()),
  identity,
  lease: { namespace: 'default', name: lease },
  timing: { leaseMs: Number(seconds) * 1_000, renewDeadlineMs: Number(seconds) * 625, retryMs: 500 },
  longestCallMs: CALL_MS + 500,
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const guarded = new Writer(transport, { mayWrite: () => election.mayWrite(CALL_MS) });

async function lead(signal: AbortSignal): Promise<void> {
  say('leading');
  for (let count = 0; !signal.aborted; count += 1) {
    const object = {
      metadata: { name: `${lease}-${identity}-${count}`, namespace: 'default', labels: { lease, candidate: identity } },
    };
    const written = guarded.create(CONFIG_MAPS, object, new AbortController().signal);
    freezeOnRequest();
    await written.catch(() => undefined);
    await systemClock.sleep(50, signal).catch(() => undefined);
  }
}

say('candidate');
try {
  await election.run(lead, stop.signal);
  say('stopped');
} catch (error) {
  say(stop.signal.aborted ? 'stopped' : `lost: ${String(error)}`);
} finally {
  await transport[Symbol.asyncDispose]();
}
