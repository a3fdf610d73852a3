import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { stringify } from 'yaml';
import { freePorts } from '../../src/local/free-ports.ts';
import { startAdmissionCluster } from '../support/admission-cluster.ts';
import { alertGroups } from '../support/alerts.ts';
import { answered } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startWebhook } from '../support/webhook-process.ts';
import { promtoolMessages, startPrometheus, type PrometheusProcess } from './prometheus-process.ts';

const run = promisify(execFile);

interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state: string;
}

/** Prometheus must load the rules and scrape the processes as the manifests configure it. */
describe('a real Prometheus and its promtool', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryFolder());
  const rules = join(folder.path, 'rules.yaml');
  let page = '';
  let prometheus: PrometheusProcess;

  before(async () => {
    writeFileSync(rules, stringify({ groups: alertGroups() }));
    const cluster = resources.use(await startAdmissionCluster());
    const [probes = 0] = await freePorts(1);
    const flags = [...cluster.flags, `--health-probe-bind-addr=127.0.0.1:${probes}`];
    resources.use(await startWebhook(flags));
    page = `http://127.0.0.1:${probes}/metrics`;
    const started = await startPrometheus(folder.path, {
      rule_files: [rules],
      scrape_configs: [{ job_name: 'webhook', static_configs: [{ targets: [`127.0.0.1:${probes}`] }] }],
    });
    prometheus = resources.use(started);
  });
  after(() => resources.disposeAsync());

  it('accept the rule file', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', rules]);
    assert.match(stdout, /SUCCESS: \d+ rules found/);
  });

  it('evaluate every rule, and no alert fires for a healthy webhook', async () => {
    const states = await answered(async () => {
      const { groups } = await prometheus.ask<{
        readonly groups: readonly { readonly rules: readonly RuleState[] }[];
      }>('rules');
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

  it('accept the metrics page of the webhook', async () => {
    const { body } = await request(page);
    assert.deepEqual(await promtoolMessages(await body.text()), []);
  });
});
