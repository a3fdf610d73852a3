import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installCertManagerKinds } from '../../src/local/up/cluster-components.ts';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { borrowControlPlane } from '../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../support/control-plane.ts';
import { aClb, aClbStatus, aCloudInventory } from '../support/inventory.ts';
import { actionsOf, parseManifests, render, root } from '../support/manifests.ts';
import { isAllowed, makeOwner, VERBS } from '../support/namespace-owner.ts';
import { podOf, workloadsOf } from '../support/workload.ts';

const OVERLAYS = readdirSync(join(root, 'kustomize/overlays')).sort();

const NAMESPACE = '/api/v1/namespaces';
/** Warning of the API server about a pod with the host network. */
const OF_THE_HOST =
  /violates PodSecurity "restricted:latest": host namespaces \(hostNetwork=true\), hostPort \(container "controller" uses hostPort 10258\)$/;

/** Users apply the overlays, so the API server must accept each object without a warning. */
describe('in a cluster with the manifests,', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  let started: TestControlPlane | undefined;
  let kustomize = '';

  before(async () => {
    const tools = await obtainTools(['kustomize', 'cert-manager-crds.json'], { env: process.env, progress: silent });
    kustomize = tools.kustomize;
    started = await borrowControlPlane();
    plane = started;
    await installCertManagerKinds(plane.client, tools['cert-manager-crds.json'], AbortSignal.timeout(30_000));
    // A dry run creates no namespace, and all other objects need the namespace.
    await plane.kubectl('create', 'namespace', 'portcullis-system');
    await plane.client.apply(`${NAMESPACE}/restricted`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'restricted', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });
  after(() => started?.[Symbol.asyncDispose]());

  const folderOf = (overlay: string): string => join(root, 'kustomize/overlays', overlay);
  const apply = (overlay: string, ...flags: readonly string[]): Promise<string> =>
    plane.kubectl(
      ...['apply', '-k', folderOf(overlay), '--server-side', '--force-conflicts', '--validate=strict', ...flags],
    );

  for (const overlay of OVERLAYS) {
    describe(`the overlay ${overlay}`, () => {
      it('has the same result with kustomize and with kubectl', async () => {
        const rendered = await render(kustomize, join('overlays', overlay));
        assert.equal(await plane.kubectl('kustomize', folderOf(overlay)), rendered);
        assert.ok(parseManifests(rendered).length > 20);
      });

      it('denies violations of safety policies', async () => {
        const actions = actionsOf(parseManifests(await render(kustomize, join('overlays', overlay))));
        assert.equal(actions.size, 3);
        for (const each of actions.values()) assert.deepEqual(each, ['Deny']);
      });

      it('is accepted by the API server with all fields, and a second apply changes nothing', async () => {
        await apply(overlay, '--dry-run=server');
        await apply(overlay);
        const diff = await plane.kubectlWith('', 'diff', '-k', folderOf(overlay), '--server-side');
        assert.deepEqual(diff, { code: 0, stdout: '', stderr: '' });
      });

      it('has pods that the restricted Pod Security profile admits, except for the host network', async () => {
        const workloads = workloadsOf(parseManifests(await render(kustomize, join('overlays', overlay))));
        assert.equal(workloads.length, 2);
        const create = (pod: object) => plane.kubectlWith(JSON.stringify(pod), 'create', '--dry-run=server', '-f', '-');
        for (const workload of workloads) {
          const own = await create(podOf(workload));
          assert.deepEqual({ code: own.code, stderr: own.stderr }, { code: 0, stderr: '' });
          const { code, stderr } = await create(podOf(workload, 'restricted'));
          if (workload.spec.template.spec?.hostNetwork === true) assert.match(stderr.trim(), OF_THE_HOST);
          else assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        }
      });
    });
  }

  describe('the custom resources', () => {
    before(() => apply('default'));

    const store = async (
      object: { readonly status?: object; readonly metadata: { readonly name: string } },
      plural: string,
    ) => {
      const path = `/apis/portcullis.io/v1alpha1/${plural}`;
      const { name } = object.metadata;
      const applied = { ...object, metadata: { name } };
      await plane.client.apply(`${path}/${name}`, applied);
      if (plural === 'cloudinventories') await plane.client.apply(`${path}/${name}/status`, applied);
      return (await plane.client.get(`${path}/${name}`)) as { readonly status: object };
    };

    it('keep every field of a load balancer', async () => {
      const listeners = [
        { port: 80, protocol: 'tcp' as const },
        { port: 80, protocol: 'udp' as const },
      ];
      const written = aClb('lb-whole', { owner: 'this-cluster', service: 'default/web', vpcId: 'vpc-1', listeners });
      assert.deepEqual((await store(written, 'classicloadbalancers')).status, written.status);
    });

    it('keep every field of the inventory', async () => {
      const written = aCloudInventory();
      assert.deepEqual((await store(written, 'cloudinventories')).status, written.status);
    });

    it('have readable columns in kubectl get', async () => {
      await store(aClb('lb-shown', { owner: 'other-cluster', address: '192.0.2.7' }), 'classicloadbalancers');
      const [head = '', line = ''] = (await plane.kubectl('get', 'clb', 'lb-shown')).split('\n');
      assert.deepEqual(head.split(/\s+/), ['NAME', 'ADDRESS', 'TYPE', 'OWNER', 'SERVICE', 'GROUP', 'AGE']);
      assert.match(line, /^lb-shown +192\.0\.2\.7 +internet +other-cluster +rg-default +\d+s$/);
    });

    it('reject values that their readers do not understand', async () => {
      const owner = 'someone' as 'user';
      const bad = { ...aClb('lb-bad'), status: aClbStatus({ owner }) };
      await assert.rejects(store(bad, 'classicloadbalancers'), /status\.owner: Unsupported value: "someone"/);
      const partial = { ...aClb('lb-part'), status: { address: '192.0.2.7' } };
      await assert.rejects(store(partial, 'classicloadbalancers'), /status\.addressType: Required value/);
    });

    it('allow only one inventory', async () => {
      const second = { ...aCloudInventory(), metadata: { name: 'second', uid: '', resourceVersion: '' } };
      await assert.rejects(store(second, 'cloudinventories'), /the name must be "default"/);
    });

    it('can be neither read nor changed with the default user roles', async () => {
      await makeOwner(plane, 'tenant');
      for (const verb of VERBS) {
        for (const resource of ['classicloadbalancers', 'cloudinventories', 'loadbalancerbindings'])
          assert.equal(await isAllowed(plane, 'tenant', { verb, resource }), false, `${verb} ${resource}`);
      }
    });
  });

  it('the samples pass the strict validation of kubectl', async () => {
    await plane.kubectl('apply', '--server-side', '-k', join(root, 'manifests/crds'));
    await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    for (const file of readdirSync(join(root, 'manifests/samples')).filter((name) => name.endsWith('.yaml'))) {
      const text = readFileSync(join(root, 'manifests/samples', file), 'utf8');
      const { code, stderr } = await plane.kubectlWith(
        text,
        'apply',
        '--dry-run=client',
        '--validate=strict',
        '-f',
        '-',
      );
      assert.deepEqual({ file, code, stderr }, { file, code: 0, stderr: '' });
    }
  });
});
