import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { stringify } from 'yaml';
import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { startLoad, type LoadReport } from '../../support/admission-load.ts';
import {
  assertAllEvaluated,
  failing,
  patient,
  rollingRestarts,
  rotateAuthority,
  rotateCertificate,
} from '../../support/webhook-rollouts.ts';
import { rollOutNextReleaseAndBack } from '../../support/next-release.ts';
import { startReplicas, type WebhookReplicas } from '../../support/webhook-replicas.ts';

/** Attempted writes per second. The printed titles contain the rate that this machine achieved. */
const PER_SECOND = 200;
/** The rate during the rollouts of two releases, which take long. `make soak` writes at 200 per second during these rollouts too. */
const PER_SECOND_IN_ROLLOUTS = 50;
const ROTATIONS = 5;

const aLoadBalancer = (name: string, annotations: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', annotations },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});
const reusing = (id: string): string => stringify(aLoadBalancer('reuse', { [CATALOGUE.id.key]: id }));

/** A rolling restart or a new certificate must not fail writes of Services. */
describe('two replicas of the webhook under writes', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let replicas: WebhookReplicas;
  let failuresBefore: readonly string[];

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.inventory();
    replicas = resources.use(await startReplicas(cluster, 2));
    await cluster.register({ change: failing });
    await underWrites(async () => undefined);
    failuresBefore = await failuresInMetrics();
  });
  after(() => resources.disposeAsync());

  /** Returns the counts of failed calls of the webhooks of Services: not zero at the start, if other test files used the same API server. */
  async function failuresInMetrics(): Promise<readonly string[]> {
    const figures = (await cluster.plane.kubectl('get', '--raw', '/metrics')).split('\n');
    const ofOurs = (metric: string): readonly string[] =>
      figures.filter(
        (line) =>
          line.startsWith(`apiserver_admission_webhook_${metric}{`) &&
          /name="(?:mutate|validate)-service\.portcullis\.io"/.test(line),
      );
    assert.ok(ofOurs('request_total').length > 0);
    return [
      ...ofOurs('fail_open_count'),
      ...ofOurs('rejection_count').filter((line) => !line.includes('error_type="no_error"')),
    ];
  }

  /** Runs `work` during continuous writes, and returns their report. */
  async function underWrites(work: () => Promise<void>, perSecond = PER_SECOND): Promise<LoadReport> {
    await using load = startLoad(cluster.plane, { perSecond });
    await load.more(perSecond / 2);
    await work();
    await load.more(perSecond / 2);
    return await load.stop();
  }
  /** Records the achieved rate in the title. */
  const checkRate = (context: Mocha.Context, { sustainedPerSecond, answered }: LoadReport): void => {
    context.runnable().title += ` (${answered} writes, ${sustainedPerSecond}/s)`;
  };

  it('fail no write in a rolling restart', async function () {
    const report = await underWrites(() => rollingRestarts(replicas, 1));
    checkRate(this, report);
    assertAllEvaluated(report);
  });

  it('fail no write while the next release is rolled out and back', async function () {
    const report = await underWrites(() => rollOutNextReleaseAndBack(cluster, replicas), PER_SECOND_IN_ROLLOUTS);
    checkRate(this, report);
    assertAllEvaluated(report);
  });

  it(`fail no write in ${ROTATIONS} renewals of the certificate`, async function () {
    const report = await underWrites(async () => {
      for (let n = 0; n < ROTATIONS; n += 1) await rotateCertificate(replicas);
    });
    checkRate(this, report);
    assertAllEvaluated(report);
  });

  it('fail no write while another authority replaces the current one', async function () {
    const report = await underWrites(() => rotateAuthority(cluster, replicas));
    checkRate(this, report);
    assertAllEvaluated(report);
  });

  it('log a decision with the trace of the request to the API server', async () => {
    const { server, certificateAuthority: ca, administrator } = cluster.plane;
    const connect = { ca, cert: administrator.certificate, key: administrator.key };
    const agent = new Agent({ allowH2: false, connect });
    resources.defer(() => agent.destroy());
    const traceId = randomBytes(16).toString('hex');
    const { statusCode, body } = await request(`${server}/api/v1/namespaces/default/services?dryRun=All`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/yaml', traceparent: `00-${traceId}-${'a'.repeat(16)}-01` },
      body: stringify(aLoadBalancer('traced', {})),
    });
    await body.dump();
    assert.equal(statusCode, 201);
    const decisions = await answered(async () => {
      const lines = replicas.running.flatMap(({ process }) => process.output().split('\n'));
      const ours = lines.filter((line) => line.includes(`"traceId":"${traceId}"`));
      return ours.length < 2 ? undefined : ours.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    }, 'both decisions are logged');
    for (const { msg, object } of decisions) assert.deepEqual([msg, object], ['decided', 'default/traced']);
  });

  it('cause no failure in the metrics of the API server', async () => {
    assert.deepEqual(await failuresInMetrics(), failuresBefore);
  });

  it('fail at most one write for each connection to a killed replica', async () => {
    await using load = startLoad(cluster.plane, { perSecond: PER_SECOND });
    await load.more(PER_SECOND);
    const [victim] = replicas.running;
    assert.ok(victim !== undefined);
    await replicas.kill(victim);
    let dials: number;
    do {
      dials = replicas.dialsTo(victim);
      await load.more(PER_SECOND / 2);
    } while (dials !== replicas.dialsTo(victim));
    const { failures } = load.report();
    assert.ok(failures.length <= dials, `${failures.length} failures, ${dials} connections`);
    for (const failure of failures) assert.match(failure, /^500 .*failed calling webhook/);
    await load.more(PER_SECOND);
    const end = await load.stop();
    assert.equal(end.failures.length, failures.length);
    assert.equal(end.failedOpen, 0);
  });

  it('evaluate again as soon as a restarted API server is ready', async () => {
    await cluster.plane.restart();
    const report = await underWrites(() => Promise.resolve());
    assertAllEvaluated(report);
    for (const { process } of replicas.running) assert.equal((await process.probe('/readyz')).status, 200);
    await cluster.publishInventory('lb-apiserver2', { owner: 'api-server' });
    const { kubectlWith } = cluster.plane;
    await answered(async () => {
      const { stderr } = await kubectlWith(reusing('lb-apiserver2'), 'create', '--dry-run=server', '-f', '-');
      return stderr.includes('serves the API server of a cluster') || undefined;
    }, 'the inventory after the restart is known');
  });

  it('fail no write with failurePolicy Ignore if a replica is killed', async () => {
    await cluster.register({ change: patient, authorities: [replicas.authority.certificate] });
    await replicas.add();
    const [victim] = replicas.running;
    assert.ok(victim !== undefined);
    const report = await underWrites(() => replicas.kill(victim));
    assert.deepEqual([...new Set(report.failures)], []);
    assert.ok(report.failedOpen <= replicas.dialsTo(victim));
  });
});
