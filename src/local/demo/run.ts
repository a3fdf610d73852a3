import { relative } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { inParallel } from '../in-parallel.ts';
import { silent } from '../progress.ts';
import type { Sandbox } from '../sandbox-handle.ts';
import { formOf, type TextOutput } from '../terminal.ts';
import type { UpOptions } from '../up/option-types.ts';
import { reportedUp } from '../up/up-with-progress.ts';
import { down, type UpResult } from '../up/up.ts';
import { requireEmptySandbox } from './empty-sandbox.ts';
import { administratorOf } from '../administrator-api-client.ts';
import { attachDemo } from './attach-demo.ts';
import { DemoProgress } from './step-progress.ts';
import { StepFailed, type Demo } from './demo-step.ts';
import { endingText } from './ending.ts';
import { countCalls, table } from './cloud-state-text.ts';
import { createBufferedOutput } from './buffered-output.ts';
import { createPortcullis } from './kubectl.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { demoSteps } from './step-order.ts';
import { offline } from './steps/offline.ts';
import { ORPHAN, plantOrphan } from './steps/orphan.ts';

export type DemoOptions = Omit<UpOptions, 'progress' | 'loadBalancers'>;

/** The number of steps outside `demoSteps`: the step `offline` and the summary. */
const OTHER_STEPS = 2;

/** Runs `make demo`, and stops a sandbox that this call started. Returns whether all checks succeeded. */
export async function runDemo(options: DemoOptions, output: TextOutput): Promise<boolean> {
  const write = (text: string): void => void output.write(text);
  const narrator = createNarrator({ write, form: formOf(output, options.env), clock: options.clock });
  const progress = new DemoProgress(narrator, options.clock, demoSteps([]).length + OTHER_STEPS);
  let started: UpResult | undefined;
  const isStarted = await succeeds(narrator, async () => {
    started = await startedSandbox(options, output, narrator, progress);
  });
  if (!isStarted || started === undefined) return false;
  const { sandbox, already } = started;
  const stop = (): Promise<unknown> =>
    already ? Promise.resolve() : down({ ...options, progress: silent, signal: new AbortController().signal });
  const isComplete = await endingWith(
    () => succeeds(narrator, () => runInSandbox(sandbox, narrator, progress, options.signal)),
    stop,
    narrator,
  );
  const logs = relative(process.cwd(), sandbox.logs);
  const ending = { checks: narrator.checks(), hasFailed: !isComplete, sandbox: sandbox.name, isKept: already, logs };
  narrator.output(`\n${endingText(ending)}`);
  return isComplete;
}

/** Runs `work`, which runs steps. Prints a failed check. Returns whether all checks succeeded. */
async function succeeds(narrator: Narrator, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    narrator.failure(error.expected, error.found);
    return false;
  }
}

/** Calls `stop` after `work`, even if `work` fails. The error of `work` takes precedence over that of `stop`. */
async function endingWith<Result>(
  work: () => Promise<Result>,
  stop: () => Promise<unknown>,
  narrator: Narrator,
): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await stop().catch((other: unknown) => narrator.output(messageOf(other)));
    throw error;
  }
  await stop();
  return result;
}

/** Starts the sandbox, and runs the step `offline` during the start. */
async function startedSandbox(
  options: DemoOptions,
  output: TextOutput,
  narrator: Narrator,
  progress: DemoProgress,
): Promise<UpResult> {
  const buffered = createBufferedOutput(output);
  let started: UpResult | undefined;
  await inParallel(options.signal, [
    async (signal) => {
      const portcullis = createPortcullis(options.env, narrator, signal);
      await progress.run(offline, () => offline.run({ narrator, portcullis }));
      output.write('\n');
      buffered.open();
    },
    async (signal) => {
      started = await reportedUp({ ...options, signal, loadBalancers: [ORPHAN] }, buffered);
    },
  ]);
  if (started === undefined) throw new Error('inParallel resolved before its tasks');
  return started;
}

async function runInSandbox(
  sandbox: Sandbox,
  narrator: Narrator,
  progress: DemoProgress,
  signal: AbortSignal,
): Promise<void> {
  const api = administratorOf(sandbox.record);
  try {
    const demo = attachDemo(sandbox, api, narrator, signal);
    await requireEmptySandbox(api);
    const since = await demo.cloud.lastCall();
    await plantOrphan(demo);
    const before = (await demo.cloud.loadBalancers()).filter(({ id }) => id !== ORPHAN.id);
    for (const step of demoSteps(before)) await progress.run(step, () => step.run(demo));
    await summarize(demo, progress, since);
  } finally {
    await api.close();
  }
}

async function summarize({ narrator, cloud }: Demo, progress: DemoProgress, since: number): Promise<void> {
  progress.heading('Summary');
  progress.printDurations();
  narrator.output('\nCloud calls, without those of the inventory:');
  const counts = countCalls(await cloud.calls(since));
  narrator.output(table(counts.map(([action, count]) => [String(count).padStart(4), action])));
}
