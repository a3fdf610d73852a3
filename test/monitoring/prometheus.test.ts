import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { stringify } from 'yaml';
import { freePorts } from '../../src/local/ports.ts';
import { startAdmissionCluster } from '../support/admission-cluster.ts';
import { alertGroups } from '../support/alerts.ts';
import { answered } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { root } from '../support/manifests.ts';
import { startWebhook } from '../support/webhook-process.ts';

const run = promisify(execFile);

interface Panels {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state: string;
}

/** Response of the API of Prometheus. */
async function ask<Data>(base: string, path: string): Promise<Data> {
  const { statusCode, body } = await request(`${base}/api/v1/${path}`);
  const answer = (await body.json()) as { readonly data: Data; readonly error?: string };
  assert.equal(statusCode, 200, answer.error);
  return answer.data;
}

/** Prometheus must load the rules and scrape the processes as the manifests configure it. */
describe('a real Prometheus and its promtool', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryFolder());
  const rules = join(folder.path, 'rules.yaml');
  let base = '';

  before(async () => {
    writeFileSync(rules, stringify({ groups: alertGroups() }));
    const cluster = resources.use(await startAdmissionCluster());
    const [probes = 0, port = 0] = await freePorts(2);
    resources.use(await startWebhook([...cluster.flags, `--health-probe-bind-addr=127.0.0.1:${probes}`]));
    const config = join(folder.path, 'prometheus.yaml');
    writeFileSync(
      config,
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [rules],
        scrape_configs: [{ job_name: 'webhook', static_configs: [{ targets: [`127.0.0.1:${probes}`] }] }],
      }),
    );
    base = `http://127.0.0.1:${port}`;
    const data = `--storage.tsdb.path=${join(folder.path, 'data')}`;
    const flags = [`--config.file=${config}`, data, `--web.listen-address=127.0.0.1:${port}`];
    const prometheus = spawn('prometheus', flags, { stdio: 'ignore' });
    resources.defer(async () => {
      const ended = once(prometheus, 'close');
      prometheus.kill();
      await ended;
    });
    await answered(async () => {
      const { result } = await ask<{ readonly result: readonly unknown[] }>(
        base,
        `query?query=${encodeURIComponent('portcullis_build_info')}`,
      ).catch(() => ({ result: [] }));
      return result.length > 0 || undefined;
    }, 'Prometheus has scraped the webhook');
  });
  after(() => resources.disposeAsync());

  it('accept the rule file', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', rules]);
    assert.match(stdout, /SUCCESS: \d+ rules found/);
  });

  it('evaluate every rule, and no alert fires for a healthy webhook', async () => {
    const states = await answered(async () => {
      const { groups } = await ask<{ readonly groups: readonly { readonly rules: readonly RuleState[] }[] }>(
        base,
        'rules',
      );
      const all = groups.flatMap(({ rules: found }) => found);
      return all.every(({ health }) => health !== 'unknown') ? all : undefined;
    }, 'every rule was evaluated');
    assert.equal(states.length, alertGroups().flatMap(({ rules: all }) => all).length);
    assert.deepEqual(
      states.filter(({ health }) => health !== 'ok'),
      [],
    );
    assert.deepEqual(
      states.filter(({ state }) => state === 'firing').map(({ name }) => name),
      [],
    );
  });

  it('return a result for every query of the dashboard', async () => {
    const { panels } = JSON.parse(readFileSync(join(root, 'manifests/monitoring/dashboard.json'), 'utf8')) as Panels;
    for (const { expr } of panels.flatMap(({ targets = [] }) => targets)) {
      await ask(base, `query?query=${encodeURIComponent(expr)}`);
    }
  });

  it('accept the metrics page', async () => {
    const { result } = await ask<{ readonly result: readonly { readonly metric: { readonly instance: string } }[] }>(
      base,
      `query?query=${encodeURIComponent('portcullis_build_info')}`,
    );
    const { body } = await request(`http://${result[0]?.metric.instance ?? ''}/metrics`);
    const page = await body.text();
    const checking = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    checking.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    checking.stdin.end(page);
    const [code] = (await once(checking, 'close')) as [number];
    assert.equal(code, 0, output);
  });
});
