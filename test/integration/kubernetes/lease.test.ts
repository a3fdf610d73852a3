import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startControlPlane, type TestControlPlane } from '../../support/control-plane.ts';
import { until } from '../../support/kubernetes-access.ts';

const CANDIDATE = join(import.meta.dirname, '../../support/candidate.ts');

describe('leading by a Lease of a real API server', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  const processes: Candidate[] = [];

  before(async () => {
    plane = await startControlPlane();
  });
  afterEach(async () => {
    for (const one of processes.splice(0)) await one.kill();
    await plane.kubectl('delete', 'lease', 'candidates', '--ignore-not-found');
    await plane.kubectl('delete', 'configmap', '--selector=candidate');
  });
  after(() => plane[Symbol.asyncDispose]());

  const candidate = (identity: string): Candidate => {
    const one = start(plane.kubeconfig, identity);
    processes.push(one);
    return one;
  };
  const holder = () => plane.kubectl('get', 'lease', 'candidates', '--output=jsonpath={.spec.holderIdentity}');
  /** Who wrote, in the order in which the API server stored it; each turn of one writer once. */
  const turns = async (): Promise<string[]> => {
    const columns =
      '--output=jsonpath={range .items[*]}{.metadata.resourceVersion} {.metadata.labels.candidate}{"\\n"}{end}';
    const text = await plane.kubectl('get', 'configmap', '--selector=candidate', columns);
    const written = text
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const writers = written.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, writer = '']) => writer);
    return writers.filter((writer, at) => writer !== writers[at - 1]);
  };

  it('passes the lead from a frozen process to the next, and nothing is written by the first one when it wakes', async () => {
    const one = candidate('one');
    await until('one to lead', () => one.said('leading'));
    const two = candidate('two');
    await delay(1_500);
    one.freeze();
    const from = performance.now();
    await until('two to lead', () => two.said('leading'));
    const tookMs = performance.now() - from;
    assert.ok(tookMs > 3_500 && tookMs < 9_000, `took over after ${Math.round(tookMs)} ms`);
    await delay(500);
    one.wake();
    await until('one to know that it lost', () => one.said('lost: '));
    await delay(500);
    assert.equal(await holder(), 'two');
    assert.deepEqual(await turns(), ['one', 'two']);
    assert.equal(await one.exited, 0);
  });

  it('passes the lead within a retry period when the leader stops gracefully', async () => {
    const one = candidate('one');
    await until('one to lead', () => one.said('leading'));
    const two = candidate('two');
    await delay(1_500);
    const from = performance.now();
    one.terminate();
    await until('two to lead', () => two.said('leading'));
    const tookMs = performance.now() - from;
    assert.ok(tookMs < 1_500, `took over after ${Math.round(tookMs)} ms`);
    await until('one to stop', () => one.said('stopped'));
    await until('two to write', async () => (await turns()).length === 2);
    assert.deepEqual(await turns(), ['one', 'two']);
  });

  it('passes the lead from a killed process when its lease has run out, to one of two', async () => {
    const one = candidate('one');
    await until('one to lead', () => one.said('leading'));
    const others = [candidate('two'), candidate('three')];
    await delay(1_500);
    await one.kill();
    await until('another to lead', () => others.some((other) => other.said('leading')));
    await delay(1_500);
    assert.equal(others.filter((other) => other.said('leading')).length, 1);
    assert.equal((await turns()).length, 2);
  });

  it('loses the lead when the API server freezes, and another leads when it is back', async () => {
    const one = candidate('one');
    await until('one to lead', () => one.said('leading'));
    // It leads before it writes: one that is cut off between the two has had no turn.
    await until('one to write', async () => (await turns()).includes('one'));
    plane.freeze();
    try {
      await until('one to give up', () => one.said('lost: '));
    } finally {
      plane.resume();
    }
    const two = candidate('two');
    await until('two to lead', () => two.said('leading'));
    await until('two to write', async () => (await turns()).length === 2);
    assert.deepEqual(await turns(), ['one', 'two']);
  });
});

interface Candidate {
  said(text: string): boolean;
  freeze(): void;
  wake(): void;
  terminate(): void;
  kill(): Promise<void>;
  readonly exited: Promise<number | null>;
}

function start(kubeconfig: string, identity: string): Candidate {
  const child = spawn(process.execPath, [CANDIDATE, kubeconfig, identity], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return {
    said: (text) => output.split('\n').some((line) => line.startsWith(text)),
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    terminate: () => void child.kill('SIGTERM'),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    exited,
  };
}
