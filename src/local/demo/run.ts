import { relative } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { requireAlone } from './empty-sandbox.ts';
import { createCloud } from './cloud.ts';
import { countCalls, table } from './format.ts';
import { createKubectl, createPortcullis } from './kubectl.ts';
import { createNarrator } from './narrator.ts';
import { binding } from './steps/binding.ts';
import { orphan, plantOrphan } from './steps/orphan.ts';
import { userListener } from './steps/user-listener.ts';
import { change } from './steps/service-update.ts';
import { remove } from './steps/delete.ts';
import { deprecatedKeys } from './steps/deprecated-keys.ts';
import { families } from './steps/invalid-combinations.ts';
import { everyViolation } from './steps/invalid-service.ts';
import { good } from './steps/new-service.ts';
import { https } from './steps/https.ts';
import { join } from './steps/node-join.ts';
import { kill } from './steps/controller-crash.ts';
import { nodes } from './steps/nodes.ts';
import { pods } from './steps/pods.ts';
import { policy } from './steps/policy.ts';
import { released } from './steps/instance-release.ts';
import { reuse } from './steps/reuse.ts';
import { safety } from './steps/webhook-outage.ts';
import { sandbox } from './steps/sandbox.ts';
import { status } from './steps/status.ts';
import { stored } from './steps/immutable-changes.ts';
import { takeOver } from './steps/take-over.ts';
import { StepFailed, type DemoStep, type Demo } from './demo.ts';

/** A running sandbox, as the demo uses it. */
export interface DemoSandbox {
  /** The variables of the sandbox's `environment` file, such as `PATH`, `KUBECONFIG` and `SIMULATOR_URL`. */
  readonly environment: NodeJS.ProcessEnv;
  readonly logs: string;
  killController(): Promise<void>;
  stop(part: 'controller'): Promise<void>;
  kill(part: 'webhook'): Promise<void>;
  startController(): Promise<void>;
  start(part: 'webhook', signal: AbortSignal): Promise<void>;
  ready(part: 'webhook', signal: AbortSignal): Promise<void>;
}

/** The steps in the order of their dependencies. `runDemo` appends the cleanup, which compares the cloud with its state before the demo. */
const STEPS: readonly DemoStep[] = [
  ...[sandbox, everyViolation, families, deprecatedKeys],
  ...[reuse, userListener, good, stored, policy, safety, nodes],
  ...[change, binding, https, pods],
  ...[join, released, kill, takeOver, orphan, status],
];

interface Result {
  readonly title: string;
  readonly seconds: number;
}

async function runSteps(steps: readonly DemoStep[], demo: Demo): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, step] of steps.entries()) {
    demo.narrator.heading(index + 1, steps.length + 1, step.title);
    demo.narrator.say(step.about);
    const started = demo.clock.monotonic();
    await step.run(demo);
    results.push({ title: step.title, seconds: (demo.clock.monotonic() - started) / 1000 });
  }
  return results;
}

async function summarize(results: readonly Result[], since: number, demo: Demo): Promise<void> {
  const total = results.length + 1;
  demo.narrator.heading(total, total, 'Summary');
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  demo.narrator.output(
    table([
      ...results.map(({ title, seconds: own }, index) => [`${index + 1}`, title, `${own.toFixed(1)} s`]),
      ['', 'all steps', `${seconds.toFixed(1)} s`],
    ]),
  );
  demo.narrator.output('\nCloud calls, without those of the inventory:');
  const counts = countCalls(await demo.cloud.calls(since));
  demo.narrator.output(table(counts.map(([action, count]) => [String(count).padStart(4), action])));
}

/**
 * Runs the demo on a sandbox and stops at the first failed check. Returns whether all checks succeeded. Throws the errors of `requireAlone` before
 * the first change.
 */
export async function runDemo(sandboxHandle: DemoSandbox, signal: AbortSignal): Promise<boolean> {
  const write = (text: string): void => void process.stdout.write(text);
  const narrator = createNarrator(write, process.stdout.isTTY && process.env['NO_COLOR'] === undefined);
  const cloud = createCloud(sandboxHandle.environment['SIMULATOR_URL'] ?? '', signal);
  const demo: Demo = {
    narrator,
    cloud,
    signal,
    clock: systemClock,
    kubectl: createKubectl(sandboxHandle.environment, narrator, signal),
    killController: () => sandboxHandle.killController(),
    stopController: () => sandboxHandle.stop('controller'),
    startController: () => sandboxHandle.startController(),
    killWebhook: () => sandboxHandle.kill('webhook'),
    startWebhook: async () => {
      await sandboxHandle.start('webhook', signal);
      await sandboxHandle.ready('webhook', signal);
    },
    portcullis: createPortcullis(sandboxHandle.environment, narrator, signal),
  };
  await requireAlone(demo.kubectl);
  const since = await cloud.lastCall();
  const before = await cloud.loadBalancers();
  await plantOrphan(demo);
  const steps = [...STEPS, remove(before)];
  try {
    await summarize(await runSteps(steps, demo), since, demo);
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    narrator.failure(error.expected, error.found);
    return false;
  } finally {
    narrator.output(`\nLogs of every process: ${relative(process.cwd(), sandboxHandle.logs)}`);
  }
}
