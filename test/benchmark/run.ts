import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/base/errors.ts';
import { isOver, table, type Figure } from './figure.ts';

/** The benchmarks of `make bench`, by name. Each runs in its own process, so that they do not share memory or compiled code. */
const BENCHMARKS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  annotation: async () => {
    const { annotationCosts } = await import('./annotation.ts');
    return Object.entries(annotationCosts()).map(([name, value]) => ({ name, value, unit: 'µs' }));
  },
  engine: async () => {
    const { engineCosts } = await import('./rule-engine.ts');
    const { valid, varied, update, faulty, mutate } = engineCosts();
    return [
      { name: 'evaluate a valid Service', value: valid, unit: 'µs', limit: 5 },
      { name: 'evaluate two Services with different values alternately, each', value: varied, unit: 'µs', limit: 5 },
      { name: 'evaluate an update that corrects 22 annotations', value: update, unit: 'µs' },
      { name: 'evaluate an invalid Service', value: faulty, unit: 'µs', limit: 20 },
      { name: 'mutate a Service without deprecated keys', value: mutate, unit: 'µs' },
    ];
  },
  policies: async () => {
    const { policyCosts } = await import('./policies.ts');
    const { valid, faulty, broken, broadlyBroken, mutate, many, change, compile, retainedMiB } = policyCosts();
    return [
      { name: 'evaluate a valid Service with 100 policies', value: valid, unit: 'µs', limit: 5 },
      { name: 'evaluate an invalid Service with 100 policies', value: faulty, unit: 'µs', limit: 20 },
      {
        name: `the same, and some of these policies find ${broken.more} more violations`,
        value: broken.cost,
        unit: 'µs',
      },
      { name: 'the same, and 100 further policies find 200 more violations', value: broadlyBroken, unit: 'µs' },
      { name: 'compute the defaults of 100 policies', value: mutate, unit: 'µs' },
      { name: 'evaluate with 500 policies and 5,000 exceptions', value: many, unit: 'µs' },
      { name: 'compile one of 500 policies again, and evaluate', value: change, unit: 'µs' },
      { name: 'compile 500 policies and 5,000 exceptions, and evaluate', value: compile, unit: 'ms', limit: 500 },
      { name: 'memory for compiled policies, in addition to the objects', value: retainedMiB, unit: 'MiB', limit: 16 },
    ];
  },
  reports: async () => {
    const { reportCosts } = await import('./reports.ts');
    const { seconds, residentMiB, first, again, afterRestart } = await reportCosts();
    return [
      { name: 'policy reports: processor time for 10,000 Services and 100 policies', value: seconds, unit: 's' },
      { name: 'policy reports: peak resident memory', value: residentMiB, unit: 'MiB', limit: 256 },
      { name: 'policy reports: writes of 100 reports and 100 statuses', value: first, unit: '', limit: 200 },
      { name: 'policy reports: writes of a second pass', value: again, unit: '', limit: 0 },
      { name: 'policy reports: writes of a pass after a restart', value: afterRestart, unit: '', limit: 0 },
    ];
  },
  lint: async () => {
    const { lintCosts } = await import('./lint.ts');
    return [{ name: '`portcullis lint` with 1,000 manifests', value: lintCosts(), unit: 's', limit: 2 }];
  },
  caches: async () => {
    const { cacheFillCosts } = await import('./cache-fill.ts');
    const { seconds, heapMiB, residentMiB, longestPauseMs } = await cacheFillCosts();
    return [
      { name: 'time to fill the caches', value: seconds, unit: 's' },
      { name: 'heap with full caches', value: heapMiB, unit: 'MiB' },
      { name: 'resident memory with full caches', value: residentMiB, unit: 'MiB' },
      { name: 'longest pause while the caches fill', value: longestPauseMs, unit: 'ms' },
    ];
  },
  webhook: async () => {
    const { webhookCosts } = await import('./webhook.ts');
    const { startMs, residentMb } = await webhookCosts();
    return [
      {
        name: 'cold start until ready with full caches',
        value: startMs,
        unit: 'ms',
        limit: 1000,
      },
      { name: 'resident memory at 1,000 reviews a second', value: residentMb, unit: 'MB', limit: 130 },
    ];
  },
  server: async () => {
    const { serverCosts } = await import('./server.ts');
    const { webhook, constant, clientBusy } = await serverCosts();
    const share = webhook.perSecond / constant.perSecond;
    return [
      { name: 'reviews a second over TLS on one core', value: webhook.perSecond, unit: '/s' },
      { name: 'the same server with a constant response', value: constant.perSecond, unit: '/s' },
      { name: "share of the constant server's rate", value: share, unit: '', least: 0.7 },
      { name: 'latency at 1,000 reviews a second, p99', value: webhook.p99Ms, unit: 'ms', limit: 2 * constant.p99Ms },
      { name: 'the same server with a constant response, p99', value: constant.p99Ms, unit: 'ms' },
      { name: 'share of its core that the client used', value: clientBusy, unit: '' },
    ];
  },
  through: async () => {
    const { throughCosts } = await import('./write-costs.ts');
    const { rate, ratio, webhook, constant } = await throughCosts();
    const figuresOf = (kind: 'creation' | 'update', limit: number): readonly Figure[] => {
      const [own, other] = [webhook[kind], constant[kind]];
      const what = `time that the webhook adds to ${kind === 'update' ? 'an update' : 'a creation'}`;
      return [
        { name: `${what}, relative to two constant webhooks`, value: ratio[kind], unit: '', limit },
        { name: `${what}, median`, value: own.medianMs, unit: 'ms' },
        { name: `${what}, p99`, value: own.p99Ms, unit: 'ms' },
        {
          name: `processor time of the webhook for ${kind === 'update' ? 'an update' : 'a creation'}`,
          value: own.cpuMs,
          unit: 'ms',
        },
        { name: `the same for two constant webhooks, median (${kind})`, value: other.medianMs, unit: 'ms' },
      ];
    };
    return [
      { name: 'writes a second through the API server, open loop', value: rate, unit: '/s' },
      ...figuresOf('creation', 1.15),
      ...figuresOf('update', 0.7),
    ];
  },
  latency: async () => {
    const { changeBackendsMeanwhile, createServices, registerNodes } = await import('../support/many-services.ts');
    const waitedMs = await changeBackendsMeanwhile(300);
    const plain = await createServices(1_000, 1, 0);
    const slow = await createServices(1_000, 2, 100);
    const [one, fifty, thousand] = [await registerNodes(1), await registerNodes(50), await registerNodes(1_000)];
    const share = (what: string, { efficiency, rejected }: typeof plain): readonly Figure[] => [
      {
        name: `1,000 Services with ${what}: share of the best possible rate`,
        value: efficiency,
        unit: '',
        least: 0.95,
      },
      { name: `1,000 Services with ${what}: rejected calls`, value: 100 * rejected, unit: '%', limit: 1 },
    ];
    return [
      ...share('one port each', plain),
      ...share('two ports each, calls of 100 ms', slow),
      {
        name: 'a change of backends while 300 Services wait for their creation',
        value: waitedMs,
        unit: 'ms',
        limit: 2_000,
      },
      {
        name: 'a Node, from registered to schedulable, with routes',
        value: one.schedulableMs / 1000,
        unit: 's',
        limit: 3,
      },
      {
        name: '50 Nodes at once, from registered to schedulable',
        value: fifty.schedulableMs / 1000,
        unit: 's',
        limit: 10,
      },
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
      { name: '`make up` with cached tools', value: up, unit: 's', limit: 15 },
      { name: '`make demo` with cached tools', value: demo, unit: 's', limit: 120 },
    ];
  },
};

/** Benchmarks that run with the environment of the shipped controller, which limits the heap. */
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
