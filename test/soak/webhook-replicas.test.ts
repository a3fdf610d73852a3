import { startAdmissionCluster, type AdmissionCluster } from '../support/admission-cluster.ts';
import { startLoad, type Load } from '../support/admission-load.ts';
import { assertAllEvaluated, failing, rollingRestarts, rotateCertificate } from '../support/webhook-rollouts.ts';
import { rollOutNextReleaseAndBack } from '../support/next-release.ts';
import { startReplicas, type WebhookReplicas } from '../support/webhook-replicas.ts';

const RESTARTS = 40;
const ROTATIONS = 100;
const SEEN = 100;

/** Runs on request, with more restarts than the integration tests. */
describe('two replicas of the webhook under 200 writes a second', function () {
  this.timeout(30 * 60_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let replicas: WebhookReplicas;
  let load: Load;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    replicas = resources.use(await startReplicas(cluster, 2));
    await cluster.register({ change: failing });
    load = resources.use(startLoad(cluster.plane));
    await load.more(SEEN);
  });
  after(() => resources.disposeAsync());

  it(`fail no write in ${RESTARTS} rolling restarts`, async function () {
    await rollingRestarts(replicas, RESTARTS);
    await load.more(SEEN);
    const report = load.report();
    this.runnable().title += ` (${report.answered} writes, ${report.sustainedPerSecond}/s)`;
    assertAllEvaluated(report);
  });

  it('fail no write while the next release is rolled out and back', async function () {
    await rollOutNextReleaseAndBack(cluster, replicas);
    await load.more(SEEN);
    const report = load.report();
    this.runnable().title += ` (${report.answered} writes, ${report.sustainedPerSecond}/s)`;
    assertAllEvaluated(report);
  });

  it(`fail no write in ${ROTATIONS} renewals of the certificate`, async function () {
    for (let n = 0; n < ROTATIONS; n += 1) await rotateCertificate(replicas);
    await load.more(SEEN);
    const report = await load.stop();
    this.runnable().title += ` (${report.answered} writes, ${report.sustainedPerSecond}/s)`;
    assertAllEvaluated(report);
  });
});
