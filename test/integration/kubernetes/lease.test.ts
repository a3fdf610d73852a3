import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { COMPILED } from '../../support/compile-cache.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { until } from '../../support/kubernetes-access.ts';

const CANDIDATE = join(import.meta.dirname, '../../support/candidate.ts');
/** The lease duration in seconds. */
const SHORT = 6;
/** The lease duration in seconds, for tests that do not wait for the expiry. */
const LONG = 300;
/** The number of writes for which a test waits. Within this number, a second leader would also write. */
const MANY = 20;

interface Candidate {
  hasLine(text: string): boolean;
  /** Freezes the candidate between its next decision to write and the request. */
  freeze(): void;
  wake(): void;
  terminate(): void;
  kill(): Promise<void>;
  readonly exited: Promise<number | null>;
}

/** Candidates for one Lease, and their writes as leaders. */
class Election implements AsyncDisposable {
  readonly #plane: TestControlPlane;
  readonly #lease: string;
  readonly #seconds: number;
  readonly #candidates: Candidate[] = [];

  constructor(plane: TestControlPlane, lease: string, seconds = SHORT) {
    this.#plane = plane;
    this.#lease = lease;
    this.#seconds = seconds;
  }

  /** Starts a candidate. */
  candidate(identity: string): Candidate {
    const one = start(this.#plane.kubeconfig, this.#lease, identity, String(this.#seconds));
    this.#candidates.push(one);
    return one;
  }

  async holder(): Promise<string> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${this.#lease}`;
    const lease = (await this.#plane.client.get(path)) as { readonly spec?: { readonly holderIdentity?: string } };
    return lease.spec?.holderIdentity ?? '';
  }

  /** Returns the writer of each ConfigMap, in the order of storage. */
  async writers(): Promise<readonly string[]> {
    const { items } = (await this.#plane.client.get(
      `/api/v1/namespaces/default/configmaps?labelSelector=lease%3D${this.#lease}`,
    )) as { readonly items: readonly Written[] };
    return items
      .toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
      .map(({ metadata }) => metadata.labels.candidate);
  }

  /** Returns the writers without consecutive repetitions. */
  async terms(): Promise<readonly string[]> {
    return (await this.writers()).filter((writer, at, all) => writer !== all[at - 1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#candidates.map((one) => one.kill()));
  }
}

interface Written {
  readonly metadata: { readonly resourceVersion: string; readonly labels: { readonly candidate: string } };
}

async function frozen(plane: TestControlPlane): Promise<void> {
  await using election = new Election(plane, 'frozen');
  const one = election.candidate('one');
  await until('one to lead', () => one.hasLine('leading'));
  const two = election.candidate('two');
  await until('two to wait', () => two.hasLine('candidate'));
  await until('one to write', async () => (await election.terms()).includes('one'));
  one.freeze();
  await until('two to write', async () => (await election.terms()).includes('two'));
  one.wake();
  await until('one to know that it lost', () => one.hasLine('lost: '));
  assert.equal(await one.exited, 0);
  assert.equal(await election.holder(), 'two');
  assert.deepEqual(await election.terms(), ['one', 'two']);
}

async function stopped(plane: TestControlPlane): Promise<void> {
  await using election = new Election(plane, 'stopped', LONG);
  const one = election.candidate('one');
  await until('one to lead', () => one.hasLine('leading'));
  const two = election.candidate('two');
  await until('two to wait', () => two.hasLine('candidate'));
  await until('one to write', async () => (await election.terms()).includes('one'));
  one.terminate();
  await until('two to lead', () => two.hasLine('leading'));
  await until('one to stop', () => one.hasLine('stopped'));
  await until('two to write', async () => (await election.terms()).includes('two'));
  assert.deepEqual(await election.terms(), ['one', 'two']);
}

async function killed(plane: TestControlPlane): Promise<void> {
  await using election = new Election(plane, 'killed');
  const one = election.candidate('one');
  await until('one to lead', () => one.hasLine('leading'));
  const others = [election.candidate('two'), election.candidate('three')];
  await until('the other candidates to wait', () => others.every((other) => other.hasLine('candidate')));
  await until('one to write', async () => (await election.terms()).includes('one'));
  await one.kill();
  await until('another to write', async () => {
    const writers = await election.writers();
    return writers.filter((writer) => writer !== 'one').length >= MANY;
  });
  assert.equal(others.filter((other) => other.hasLine('leading')).length, 1);
  assert.equal((await election.terms()).length, 2);
}

async function withoutApiServer(plane: TestControlPlane): Promise<void> {
  await using election = new Election(plane, 'without-api-server');
  const one = election.candidate('one');
  await until('one to lead', () => one.hasLine('leading'));
  // A candidate leads before its first write. Without this wait, `one` could lose its connection before it is among the writers.
  await until('one to write', async () => (await election.terms()).includes('one'));
  plane.freeze();
  try {
    await until('one to give up', () => one.hasLine('lost: '));
  } finally {
    plane.resume();
  }
  const two = election.candidate('two');
  await until('two to lead', () => two.hasLine('leading'));
  await until('two to write', async () => (await election.terms()).includes('two'));
  assert.deepEqual(await election.terms(), ['one', 'two']);
}

/** Two leaders at a time could create two load balancers for a Service. */
describe('leader election by a Lease of a real API server', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let plane: TestControlPlane;
  let sideBySide: readonly Promise<void>[] = [];

  before(async () => {
    plane = resources.use(await borrowControlPlane());
    // Each test has its own Lease, and mostly waits.
    sideBySide = [frozen, stopped, killed].map((election) => election(plane));
    for (const election of sideBySide) election.catch(() => undefined);
  });
  after(async () => {
    await Promise.allSettled(sideBySide);
    await resources.disposeAsync();
  });

  it('replaces a leader that freezes before a write, and the write is never sent', () => sideBySide[0]);

  it('replaces a leader that stops gracefully within a retry period', () => sideBySide[1]);

  it('replaces a killed leader after its Lease expires, by one of two candidates', () => sideBySide[2]);

  it('replaces the leader when the API server freezes and returns', async () => {
    await Promise.allSettled(sideBySide);
    await withoutApiServer(plane);
  });
});

function start(...words: readonly string[]): Candidate {
  const child = spawn(process.execPath, [CANDIDATE, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...COMPILED, ...process.env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return {
    hasLine: (text) => output.split('\n').some((line) => line.startsWith(text)),
    freeze: () => void child.kill('SIGUSR2'),
    wake: () => void child.kill('SIGCONT'),
    terminate: () => void child.kill('SIGTERM'),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    exited,
  };
}
