import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { installCertManagerKinds } from '../../src/local/up/cluster-components.ts';
import { borrowControlPlane } from '../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../support/control-plane.ts';
import { stepsOf } from '../support/documented-steps.ts';
import { temporaryFolder } from '../support/folder.ts';
import { GITOPS_TOOLS, GitOpsRequests, nameOf } from '../support/gitops.ts';
import { composed } from '../support/kustomization.ts';
import { parseManifests, render, root, type Manifest } from '../support/manifests.ts';
import type { Workload } from '../support/workload.ts';
import { DOCUMENTED_REPOSITORY, remoteBase } from '../support/remote-base.ts';

const PAGE = join(root, 'docs/tasks/gitops.md');
const TAG = 'v0.1.0';
const CLOUD_CONFIG = readFileSync(join(root, 'kustomize/example/cloud-config.conf'), 'utf8');
const POLICY = {
  apiVersion: 'portcullis.io/v1alpha1',
  kind: 'LoadBalancerPolicy',
  metadata: { name: 'ours' },
  spec: { constraints: [{ name: 'admin', mode: 'warn', require: [{ field: 'port', noneOf: ['8081'] }] }] },
};

/** Users keep their installation in a repository that refers to a release. Argo CD and Flux must apply it without endless differences. */
describe('with a remote base,', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  const folder = temporaryFolder();
  let plane: TestControlPlane;
  let kustomize = '';
  let own = '';

  before(async () => {
    const tools = await obtainTools(['kustomize', 'cert-manager-crds.json'], { env: process.env, progress: silent });
    kustomize = tools.kustomize;
    plane = resources.use(await borrowControlPlane());
    await installCertManagerKinds(plane.client, tools['cert-manager-crds.json'], AbortSignal.timeout(100_000));
    const repository = remoteBase(join(folder.path, 'portcullis'), TAG);
    own = join(folder.path, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'cloud-config.conf'), CLOUD_CONFIG);
    for (const { kind, path, text } of stepsOf(PAGE)) {
      if (kind === 'write') writeFileSync(join(own, path), text.replaceAll(DOCUMENTED_REPOSITORY, repository));
    }
  });
  after(async () => {
    await resources.disposeAsync();
    folder[Symbol.dispose]();
  });

  /** Returns the objects of the overlay `default` of this repository, with the settings of the guide. */
  const local = async (components: readonly string[]): Promise<readonly Manifest[]> => {
    const generator = { name: 'portcullis-cloud-config', namespace: 'portcullis-system', files: ['cloud-config.conf'] };
    const composition = {
      overlay: 'default',
      components,
      own: {
        images: [{ name: 'portcullis', newName: 'registry.example.com/platform/portcullis', newTag: '0.1.0' }],
        configMapGenerator: [generator],
      },
      files: { 'cloud-config.conf': CLOUD_CONFIG },
    };
    return parseManifests(await render(kustomize, composed(join(folder.path, components.join('-')), composition)));
  };

  it('kustomize and kubectl render the objects of the repository at its tag', async () => {
    const rendered = await render(kustomize, own);
    assert.equal(await plane.kubectl('kustomize', own), rendered);
    assert.deepEqual(parseManifests(rendered), await local(['keep-crds', 'network-policy']));
  });

  /** Writes what cert-manager, Kubernetes and the controller write. */
  async function writeAsOthers(): Promise<void> {
    const caBundle = Buffer.from(plane.certificateAuthority).toString('base64');
    const base = '/apis/admissionregistration.k8s.io/v1';
    for (const verb of ['mutat', 'validat']) {
      const webhooks = ['service', 'node'].map((of) => ({
        name: `${verb}e-${of}.portcullis.io`,
        clientConfig: { caBundle },
      }));
      await plane.client.patch(`${base}/${verb}ingwebhookconfigurations/portcullis?fieldManager=cainjector`, {
        webhooks,
      });
    }
    const namespace = '/portcullis-system';
    for (const process of ['controller', 'webhook'])
      await plane.client.patch(
        `/apis/apps/v1/namespaces${namespace}/deployments/portcullis-${process}?fieldManager=kube-controller-manager`,
        { metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } } },
      );
    await plane.client.apply(`/api/v1/namespaces${namespace}/configmaps/portcullis-protected`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'portcullis-protected' },
    });
  }

  for (const [name, tool] of Object.entries(GITOPS_TOOLS))
    describe(name, () => {
      let requests: GitOpsRequests;
      let objects: readonly Manifest[];
      const webhook = (): Manifest | undefined =>
        objects.find((each) => nameOf(each) === 'Deployment portcullis-webhook');

      before(async () => {
        requests = resources.use(new GitOpsRequests(plane, tool));
        objects = requests.marked(parseManifests(await render(kustomize, own)));
      });

      /** Returns the names of the objects that differ. */
      const differences = (some: readonly Manifest[], others: readonly Manifest[]): readonly string[] =>
        some.filter((object, index) => !isDeepStrictEqual(object, others[index])).map(nameOf);
      const drifted = async (): Promise<readonly string[]> =>
        differences(await requests.live(objects), await requests.predicted(objects));

      it('applies all objects, and finds no difference after writes of controllers', async () => {
        await requests.apply(objects);
        await writeAsOthers();
        assert.deepEqual(await drifted(), []);
      });

      it('changes nothing when it applies again', async () => {
        const before = await requests.live(objects);
        await requests.apply(objects);
        assert.deepEqual(await requests.live(objects), before);
      });

      it('finds and reverts a manual change', async () => {
        const path = '/apis/apps/v1/namespaces/portcullis-system/deployments/portcullis-webhook';
        await plane.client.patch(`${path}?fieldManager=kubectl-edit`, { spec: { replicas: 5 } });
        assert.deepEqual(await drifted(), ['Deployment portcullis-webhook']);
        await requests.apply(objects);
        const [live] = await requests.live(objects.filter((each) => each === webhook()));
        assert.equal((live as unknown as Workload).spec.replicas, 2);
      });

      it('changes only the Deployments for another version of the image', async () => {
        const text = JSON.stringify(objects).replaceAll('/portcullis:0.1.0', '/portcullis:0.1.1');
        const before = await requests.live(objects);
        await requests.apply(JSON.parse(text) as readonly Manifest[]);
        const changed = differences(before, await requests.live(objects));
        assert.deepEqual(changed, ['Deployment portcullis-controller', 'Deployment portcullis-webhook']);
      });

      it('prunes what a component brought, and nothing else', async () => {
        const pruned = await requests.prunable(objects, await local(['keep-crds']));
        assert.deepEqual(pruned.map(nameOf), [
          'NetworkPolicy portcullis-controller',
          'NetworkPolicy portcullis-webhook',
        ]);
      });

      it('keeps the definitions, and with them the policies, when all is pruned', async () => {
        await plane.client.apply('/apis/portcullis.io/v1alpha1/loadbalancerpolicies/ours', POLICY);
        const pruned = await requests.prunable(objects, []);
        assert.equal(pruned.length, objects.filter(({ kind }) => kind !== 'CustomResourceDefinition').length);
        // This API server has no namespace controller, so the deletion of the namespace would not end.
        await requests.delete(pruned.filter(({ kind }) => kind !== 'Namespace'));
        await plane.client.get('/apis/portcullis.io/v1alpha1/loadbalancerpolicies/ours');
      });
    });
});
