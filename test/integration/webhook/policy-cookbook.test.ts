import assert from 'node:assert/strict';
import { suffixOf } from '../../../src/annotation/keys.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { ClassicLoadBalancerStatus } from '../../../src/inventory/custom-resources.ts';
import { readManifests } from '../../../src/lint/manifest.ts';
import type { Source } from '../../../src/lint/source.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { casesIn, type PolicyTestCase } from '../../../src/policy-test/read.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { patient } from '../../support/webhook-rollouts.ts';
import { eventually } from '../../support/eventually.ts';
import { recipes } from '../../support/recipes.ts';
import { startWebhook } from '../../support/webhook-process.ts';

interface InventoryInput {
  readonly metadata: { readonly name: string };
  readonly status: ClassicLoadBalancerStatus;
}

/** Returns the annotations that a case expects as defaults. */
const defaultsOf = ({ expect }: PolicyTestCase): Readonly<Record<string, string>> =>
  (typeof expect === 'object' ? expect.defaults : undefined) ?? {};
const denyingOf = ({ expect }: PolicyTestCase): readonly string[] =>
  (typeof expect === 'object' ? expect.denied : []) ?? [];

/** Users copy the policies of the cookbook, so each policy must work in a cluster. */
describe('the cookbook of policies in a cluster', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.inventory();
    const webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register({ change: patient });
  });
  after(() => resources.disposeAsync());

  const kubectl = async (files: readonly Source[], ...args: string[]): Promise<void> => {
    const named = files.flatMap(({ name }) => ['-f', name]);
    const { code, stderr } = await cluster.plane.kubectlWith('', ...args, ...named);
    assert.equal(code, 0, stderr);
  };

  /** Creates a Service as a dry run. Returns its denial, or its defaults. */
  async function created({ service }: PolicyTestCase): Promise<{ readonly denial: string; readonly defaults: object }> {
    const { metadata, spec } = service.object as Service;
    const object = { apiVersion: 'v1', kind: 'Service', metadata, spec };
    const path = `/api/v1/namespaces/${metadata.namespace}/services?dryRun=All`;
    try {
      const stored = (await cluster.plane.client.create(path, object)) as Service;
      const added = Object.entries(stored.metadata.annotations ?? {}).filter(
        ([key]) => metadata.annotations?.[key] === undefined,
      );
      return { denial: '', defaults: Object.fromEntries(added.map(([key, value]) => [suffixOf(key), value])) };
    } catch (error) {
      return { denial: messageOf(error), defaults: {} };
    }
  }

  async function writeInventory(test: string): Promise<void> {
    const { manifests } = readManifests(test, (_, kind) => kind === 'ClassicLoadBalancer');
    for (const { object } of manifests) {
      const { metadata, status } = object as InventoryInput;
      await cluster.publishInventory(metadata.name, status);
    }
  }

  for (const { title, policies, test } of recipes()) {
    it(`works as documented: ${title}`, async () => {
      const cases = await casesIn([test]);
      await writeInventory(test.text);
      await kubectl(policies, 'apply', '--validate=strict');
      await eventually(async () => {
        for (const each of cases) {
          const { denial, defaults } = await created(each);
          const rules = denyingOf(each);
          assert.equal(denial === '', rules.length === 0, `${each.name}: ${denial}`);
          for (const rule of rules) assert.match(denial, new RegExp(`\\[${rule}\\]`));
          assert.deepEqual(defaults, defaultsOf(each));
        }
      });
      await kubectl(policies, 'delete', '--wait=false');
    });
  }
});
