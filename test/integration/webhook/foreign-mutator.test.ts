import assert from 'node:assert/strict';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { startForeignMutator } from '../../support/foreign-mutator.ts';
import { keysOf, ServiceUnderWriters, type Writer } from '../../support/annotation-clients.ts';
import { startWebhook } from '../../support/webhook-process.ts';

const { old: OLD, new: NEW } = keysOf('scheduler');

type Texts = Readonly<Record<string, string>>;
interface Row {
  /** A name that sorts before or after the product's webhooks. */
  readonly name: 'aa-foreign' | 'zz-foreign';
  readonly adds: (annotations: Texts) => Texts;
  readonly by: Writer;
  /** Stored annotations of a Service that is written without either key. */
  readonly stored: Texts;
}

const MESH = { 'mesh.example.com/injected': 'yes' };
const always = (): Texts => ({ [OLD]: 'rr' });
/** Adds a default to Services without a value, as platforms do. */
const byDefault = (annotations: Texts): Texts => (OLD in annotations || NEW in annotations ? {} : always());

const ROWS: Readonly<Record<string, Row>> = {
  'replaces a deprecated key that the foreign webhook adds later': {
    name: 'zz-foreign',
    adds: byDefault,
    by: 'apply',
    stored: { [NEW]: 'rr' },
  },
  'replaces a deprecated key that the foreign webhook has added before': {
    name: 'aa-foreign',
    adds: byDefault,
    by: 'apply',
    stored: { [NEW]: 'rr' },
  },
  'copies, for a chart tool, a deprecated key that the foreign webhook adds later': {
    name: 'zz-foreign',
    adds: byDefault,
    by: 'chart',
    stored: { [OLD]: 'rr', [NEW]: 'rr' },
  },
  'keeps both keys equal if the foreign webhook always restores the old key': {
    name: 'zz-foreign',
    adds: always,
    by: 'apply',
    stored: { [OLD]: 'rr', [NEW]: 'rr' },
  },
  'ignores other annotations of the foreign webhook': {
    name: 'zz-foreign',
    adds: () => MESH,
    by: 'apply',
    stored: MESH,
  },
};

/** Another webhook can add annotations before or after Portcullis. Neither order may lose a value. */
describe('the mutating webhook, with a foreign mutating webhook on the real API server,', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.plane.kubectl('create', 'namespace', 'shop');
    const webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    // The API server must not skip the webhook on a loaded machine.
    await cluster.register({ change: (hook) => ({ ...hook, failurePolicy: 'Fail', timeoutSeconds: 30 }) });
  });
  after(() => resources.disposeAsync());

  const stored = async (name: string) => {
    const { metadata } = (await cluster.plane.client.get(`/api/v1/namespaces/shop/services/${name}`)) as {
      metadata: { resourceVersion: string; annotations?: Texts };
    };
    const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('kubectl.'));
    return { annotations: Object.fromEntries(own), version: metadata.resourceVersion };
  };

  for (const [index, [title, { name, adds, by, stored: expected }]] of Object.entries(ROWS).entries()) {
    it(title, async () => {
      await using foreign = await startForeignMutator(cluster, name, adds);
      await eventually(async () => {
        await new ServiceUnderWriters(`probe-${index}`, cluster.plane, 'scheduler').write('diff', {}, {});
        assert.notEqual(foreign.calls(), 0);
      });
      const service = new ServiceUnderWriters(`s${index}`, cluster.plane, 'scheduler');
      const first = await service.write(by, {}, {});
      assert.equal(first?.code, 0, first?.stderr);
      const { annotations, version } = await stored(`s${index}`);
      assert.deepEqual(annotations, expected);
      const again = await service.write(by, {}, {});
      assert.equal(again?.code ?? 0, 0, again?.stderr);
      assert.deepEqual(await stored(`s${index}`), { annotations, version });
    });
  }
});
