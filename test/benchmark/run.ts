import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/base/errors.ts';
import { isOver, table, type Figure } from './figure.ts';

/** Benchmarks by name. Each runs in its own process, so that they do not share memory or compiled code. */
const BENCHMARKS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  annotation: async () => {
    const { annotationCosts } = await import('./annotation.ts');
    return Object.entries(annotationCosts()).map(([name, value]) => ({ name, value, unit: 'µs' }));
  },
  engine: async () => {
    const { engineCosts } = await import('./engine.ts');
    const { valid, varied, update, faulty, mutate } = engineCosts();
    return [
      { name: 'judge a Service with 22 annotations', value: valid, unit: 'µs', limit: 5 },
      { name: 'judge two in turn whose values differ, each', value: varied, unit: 'µs', limit: 5 },
      { name: 'judge an update that puts 22 annotations right', value: update, unit: 'µs' },
      { name: 'judge one with every fault', value: faulty, unit: 'µs', limit: 20 },
      { name: 'look for deprecated keys where there are none', value: mutate, unit: 'µs' },
    ];
  },
  policies: async () => {
    const { policyCosts } = await import('./policies.ts');
    const { valid, faulty, broken, broadlyBroken, mutate, many, change, compile, heldMiB } = policyCosts();
    return [
      { name: 'judge a Service with 22 annotations by 100 policies too', value: valid, unit: 'µs', limit: 5 },
      { name: 'judge one with every fault by them', value: faulty, unit: 'µs', limit: 20 },
      { name: `the same, where some of them find ${broken.more} faults more`, value: broken.cost, unit: 'µs' },
      { name: 'the same, where 100 further ones find 200 faults more', value: broadlyBroken, unit: 'µs' },
      { name: 'look for defaults of 100 policies', value: mutate, unit: 'µs' },
      { name: 'judge by 500 policies, beside 5,000 exceptions', value: many, unit: 'µs' },
      { name: 'read one of 500 policies anew, and judge', value: change, unit: 'µs' },
      { name: 'read 500 policies and 5,000 exceptions, and judge', value: compile, unit: 'ms', limit: 500 },
      { name: 'held of them beside the objects', value: heldMiB, unit: 'MiB', limit: 16 },
    ];
  },
  reports: async () => {
    const { reportCosts } = await import('./reports.ts');
    const { seconds, residentMiB, first, again, afterRestart } = await reportCosts();
    const what = '10,000 Services looked through by 100 policies:';
    return [
      { name: `${what} processor time`, value: seconds, unit: 's' },
      { name: `${what} resident at most`, value: residentMiB, unit: 'MiB', limit: 256 },
      { name: `${what} writes, of 100 reports and 100 statuses`, value: first, unit: '', limit: 200 },
      { name: 'looked through again: writes', value: again, unit: '', limit: 0 },
      { name: 'looked through after a restart: writes', value: afterRestart, unit: '', limit: 0 },
    ];
  },
  lint: async () => {
    const { lintCosts } = await import('./lint.ts');
    return [{ name: 'portcullis lint, 1,000 manifests', value: lintCosts(), unit: 's', limit: 2 }];
  },
  caches: async () => {
    const { reflectorCosts } = await import('./reflector.ts');
    const { seconds, heapMiB, residentMiB, longestPauseMs } = await reflectorCosts();
    const what = '10,000 Services and 10,000 clb:';
    return [
      { name: `${what} caches filled`, value: seconds, unit: 's' },
      { name: `${what} heap`, value: heapMiB, unit: 'MiB' },
      { name: `${what} resident`, value: residentMiB, unit: 'MiB' },
      { name: `${what} longest pause`, value: longestPauseMs, unit: 'ms' },
    ];
  },
  webhook: async () => {
    const { webhookCosts } = await import('./webhook.ts');
    const { startMs, residentMb } = await webhookCosts();
    return [
      {
        name: 'webhook: cold start to ready, caches of 10,000 and 10,000 filled',
        value: startMs,
        unit: 'ms',
        limit: 1000,
      },
      { name: 'webhook: resident with them at 1,000 reviews a second', value: residentMb, unit: 'MB', limit: 130 },
    ];
  },
  server: async () => {
    const { serverCosts } = await import('./server.ts');
    const { webhook, constant, clientBusy } = await serverCosts();
    const share = webhook.perSecond / constant.perSecond;
    return [
      { name: 'webhook on one core: reviews a second over TLS', value: webhook.perSecond, unit: '/s' },
      { name: 'the same server with one answer to all', value: constant.perSecond, unit: '/s' },
      { name: 'share of that', value: share, unit: '', least: 0.7 },
      { name: 'webhook at 1,000 a second: p99', value: webhook.p99Ms, unit: 'ms', limit: 2 * constant.p99Ms },
      { name: 'the same server with one answer to all: p99', value: constant.p99Ms, unit: 'ms' },
      { name: "part of the client's core that it needed", value: clientBusy, unit: '' },
    ];
  },
  through: async () => {
    const { throughCosts } = await import('./through.ts');
    const { rate, webhook, constant } = await throughCosts();
    const figuresOf = (kind: 'creation' | 'update', limit: number): readonly Figure[] => {
      const [own, other] = [webhook[kind], constant[kind]];
      const what = `added to a ${kind}`;
      return [
        { name: `${what}, of what two constant webhooks add`, value: own.meanMs / other.meanMs, unit: '', limit },
        { name: `${what}: mean`, value: own.meanMs, unit: 'ms' },
        { name: `${what}: p99`, value: own.p99Ms, unit: 'ms' },
        { name: `${what}: processor time`, value: own.cpuMs, unit: 'ms' },
        { name: `${what} by two constant webhooks: mean`, value: other.meanMs, unit: 'ms' },
      ];
    };
    return [
      { name: 'writes through the API server, open loop', value: rate, unit: '/s' },
      ...figuresOf('creation', 1.15),
      ...figuresOf('update', 0.7),
    ];
  },
  pace: async () => {
    const { changeBackendsMeanwhile, createServices, registerNodes } = await import('../support/at-scale.ts');
    const waitedMs = await changeBackendsMeanwhile(300);
    const plain = await createServices(1_000, 1, 0);
    const slow = await createServices(1_000, 2, 100);
    const [one, fifty, thousand] = [await registerNodes(1), await registerNodes(50), await registerNodes(1_000)];
    const share = (what: string, { efficiency, refused }: typeof plain): readonly Figure[] => [
      { name: `1,000 Services, ${what}: part of what the rates allow`, value: efficiency, unit: '', least: 0.95 },
      { name: `1,000 Services, ${what}: rejected calls`, value: 100 * refused, unit: '%', limit: 1 },
    ];
    return [
      ...share('a port each', plain),
      ...share('two ports each, calls of 100 ms', slow),
      { name: 'a change of backends while 300 Services wait to be made', value: waitedMs, unit: 'ms', limit: 2_000 },
      { name: 'a Node: registered to schedulable, with routes', value: one.schedulableMs / 1000, unit: 's', limit: 3 },
      { name: '50 Nodes at once: the same', value: fifty.schedulableMs / 1000, unit: 's', limit: 10 },
      { name: '1,000 Nodes at once: routes', value: thousand.routedMs / 1000, unit: 's', limit: 1.1 * 20 },
      {
        name: '1,000 Nodes at once: schedulable, at 500 interfaces a minute',
        value: thousand.schedulableMs / 1000,
        unit: 's',
        limit: 1.1 * 60,
      },
    ];
  },
  calls: async () => {
    const { CALL_BUDGETS } = await import('../support/call-budgets.ts');
    const figures: Figure[] = [];
    for (const { id, scenario, existing, limit, count } of CALL_BUDGETS)
      figures.push({ name: `${id}: ${scenario}`, value: await count(), unit: 'calls', limit, existing });
    return figures;
  },
  freshness: async () => (await import('./freshness.ts')).freshnessFigures(),
  scale: async () => (await import('./scale.ts')).scaleFigures(),
  sandbox: async () => {
    const { sandboxCosts } = await import('./sandbox.ts');
    const { up, demo } = await sandboxCosts();
    return [
      { name: 'make up, tools cached', value: up, unit: 's', limit: 15 },
      { name: 'make demo, tools cached', value: demo, unit: 's', limit: 120 },
    ];
  },
};

/** Benchmarks that run with the memory limit of the shipped controller. */
const AS_SHIPPED: ReadonlySet<string> = new Set(['reports']);

const USAGE = 2;
const CHILD = 'measure';
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Runs one benchmark in a child process that can collect garbage. Returns its figures. */
async function measured(name: string): Promise<readonly Figure[]> {
  const shipped = AS_SHIPPED.has(name)
    ? (await import('../support/shipped-deployment.ts')).shippedEnvironment('controller')
    : {};
  const env = { ...process.env, ...shipped };
  const child = fork(fileURLToPath(import.meta.url), [CHILD, name], { execArgv: ['--expose-gc'], env });
  let figures: readonly Figure[] | undefined;
  child.on('message', (message: readonly Figure[]) => {
    figures = message;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || figures === undefined) throw new Error(`the benchmark ${name} ended with ${String(code)}`);
  return figures;
}

async function runAll(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => BENCHMARKS[name] === undefined);
  if (unknown !== undefined) {
    process.stderr.write(`"${unknown}" is no benchmark: choose from ${Object.keys(BENCHMARKS).join(', ')}\n`);
    return USAGE;
  }
  const figures: Figure[] = [];
  let failed = false;
  for (const name of names.length === 0 ? Object.keys(BENCHMARKS) : names) {
    say(`measuring ${name} …`);
    try {
      figures.push(...(await measured(name)));
    } catch (error) {
      failed = true;
      say(messageOf(error));
    }
  }
  say(`\n${table(figures)}`);
  return failed || figures.some(isOver) ? 1 : 0;
}

const [first, second = ''] = process.argv.slice(2);
if (first === CHILD && process.send !== undefined) {
  process.send(await BENCHMARKS[second]?.());
  process.disconnect();
} else {
  process.exitCode = await runAll(process.argv.slice(2));
}
