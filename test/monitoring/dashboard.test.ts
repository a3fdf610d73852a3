import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startControllerCluster } from '../support/controller-cluster.ts';
import { answered } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { root } from '../support/manifests.ts';
import type { SpawnedController } from '../support/spawned-controller.ts';
import { promtoolMessages, startPrometheus, type PrometheusProcess, type Sample } from './prometheus-process.ts';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels: PANELS } = JSON.parse(readFileSync(join(root, 'manifests/monitoring/dashboard.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
};

/** A value for each variable, as Grafana inserts it. */
type Choice = Readonly<Record<'cluster' | 'job' | 'namespace', string>>;
const ALL: Choice = { cluster: '.*', job: '.*', namespace: '.*' };
const EAST: Choice = { ...ALL, cluster: 'east' };

const queriesOf = ({ targets = [] }: Panel, choice: Choice): readonly string[] =>
  targets.map(({ expr }) => expr.replaceAll(/\$(cluster|job|namespace)\b/g, (_, name: keyof Choice) => choice[name]));
const queriesAt = (title: string, choice: Choice): readonly string[] => {
  const panel = PANELS.find((each) => each.title === title);
  assert.ok(panel !== undefined, title);
  return queriesOf(panel, choice);
};

const POLICY = {
  apiVersion: 'portcullis.io/v1alpha1',
  kind: 'LoadBalancerPolicy',
  metadata: { name: 'few' },
  spec: { quotas: [{ name: 'all', per: 'policy', loadBalancers: 1, listeners: 8 }] },
};
const service = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

/** The panels must show data of a real controller, with and without the labels that the variables select. */
describe('the dashboard in a real Prometheus', function () {
  this.timeout(240_000);
  const resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryFolder());
  let controller: SpawnedController;
  let prometheus: PrometheusProcess;

  before(async () => {
    const cluster = resources.use(await startControllerCluster());
    const put = async (object: object): Promise<void> => {
      const { code, stderr } = await cluster.plane.kubectlWith(stringify(object), 'create', '-f', '-');
      assert.equal(code, 0, stderr);
    };
    const waitFor = (name: string, state: string): Promise<string> =>
      cluster.plane.kubectl('wait', `service/${name}`, `--for=condition=LoadBalancerReady=${state}`, '--timeout=60s');
    controller = resources.use(await cluster.start(['--leader-elect=false']));
    await controller.ready();
    await put(POLICY);
    await cluster.plane.kubectl('wait', 'lbp/few', '--for=condition=Ready', '--timeout=60s');
    await put(service('first'));
    await waitFor('first', 'True');
    await put(service('second'));
    await waitFor('second', 'False');
    const targets = [`127.0.0.1:${controller.probesPort}`];
    const started = await startPrometheus(folder.path, {
      scrape_configs: [
        { job_name: 'plain', static_configs: [{ targets }] },
        {
          job_name: 'labelled',
          static_configs: [{ targets, labels: { cluster: 'east', namespace: 'portcullis-system' } }],
        },
      ],
    });
    prometheus = resources.use(started);
    await answered(async () => {
      const used = await prometheus.query('portcullis_policy_quota_used{dimension="loadBalancers"} == 1');
      return used.length === 2 || undefined;
    }, 'Prometheus has scraped the controller twice');
  });
  after(() => resources.disposeAsync());

  const samples = async (title: string, choice: Choice): Promise<readonly Sample[]> =>
    (await Promise.all(queriesAt(title, choice).map((query) => prometheus.query(query)))).flat();
  const rows = async (title: string, choice: Choice): Promise<readonly string[]> =>
    (await samples(title, choice))
      .map(({ metric, value }) => [...Object.values(metric).toSorted(), value[1]].join(' '))
      .toSorted();

  it('has a result for every query, for all clusters and for one', async () => {
    for (const choice of [ALL, EAST])
      for (const panel of PANELS) for (const query of queriesOf(panel, choice)) await prometheus.query(query);
  });

  const shown: Readonly<Record<string, readonly [all: readonly string[], east: readonly string[]]>> = {
    'Services not ready': [['1', 'east 1'], ['east 1']],
    'Services by readiness': [
      ['false 2', 'true 2'],
      ['false 1', 'true 1'],
    ],
    'Services not ready, by reason': [['QuotaExceeded 1', 'QuotaExceeded east 1'], ['QuotaExceeded east 1']],
    'Quotas: used and hard': [
      ['all few listeners 1', 'all few listeners 8', 'all few loadBalancers 1', 'all few loadBalancers 1'].flatMap(
        (row) => [row, row.replace('all ', 'all east ')],
      ),
      [
        'all east few listeners 1',
        'all east few listeners 8',
        ...Array<string>(2).fill('all east few loadBalancers 1'),
      ],
    ],
    'Quotas by share of the limit': [
      [
        ...['all few listeners 0.125', 'all few loadBalancers 1'],
        ...['all east few listeners 0.125', 'all east few loadBalancers 1'],
      ],
      ['all east few listeners 0.125', 'all east few loadBalancers 1'],
    ],
    'Quotas exceeded or reached': [
      ['0', '2'],
      ['0', '1'],
    ],
  };
  for (const [title, [all, east]] of Object.entries(shown)) {
    it(`shows data in the panel ${title}, of all clusters or of one`, async () => {
      assert.deepEqual(await rows(title, ALL), all.toSorted());
      assert.deepEqual(await rows(title, EAST), east.toSorted());
    });
  }

  it('shows each process of each cluster, also with equal addresses', async () => {
    for (const title of ['Memory', 'Lag of the event loop, p99'])
      assert.deepEqual([(await samples(title, ALL)).length, (await samples(title, EAST)).length], [2, 1]);
  });

  it('selects by job and namespace', async () => {
    const title = 'Services not ready';
    assert.deepEqual(await rows(title, { ...ALL, job: 'plain' }), ['1']);
    assert.deepEqual(await rows(title, { ...ALL, namespace: 'portcullis-system' }), ['east 1']);
  });

  it('reads a metrics page that promtool accepts, except the names of the existing controller', async () => {
    const messages = await promtoolMessages((await controller.probe('/metrics')).text);
    assert.deepEqual(
      messages.filter((line) => !line.startsWith('ccm_')),
      [],
    );
  });
});
