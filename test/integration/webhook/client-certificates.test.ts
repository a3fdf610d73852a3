import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { createAuthority } from '../../../src/local/pki.ts';
import { silent } from '../../../src/local/progress.ts';
import { obtainTools } from '../../../src/local/tools/find-or-build-tools.ts';
import { startAdmissionCluster } from '../../support/admission-cluster.ts';
import { stepsOf } from '../../support/documented-steps.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { composed } from '../../support/kustomization.ts';
import { parseManifests, render, root } from '../../support/manifests.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';
import { startWebhook } from '../../support/webhook-process.ts';
import { workloadsOf } from '../../support/workload.ts';

const BAD = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'bad',
    namespace: 'default',
    annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type': 'nowhere' },
  },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

/** Returns the webhook's arguments from the component, with a folder in place of the mount of the authority. */
async function flagsOfComponent(folder: string): Promise<readonly string[]> {
  const { kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: silent });
  const flagsOf = async (components: readonly string[]): Promise<readonly string[]> => {
    const objects = parseManifests(await render(kustomize, composed(join(folder, 'composed'), { components })));
    const webhook = workloadsOf(objects).find(({ metadata }) => metadata.name === 'portcullis-webhook');
    return webhook?.spec.template.spec?.containers[0]?.args ?? [];
  };
  const others = await flagsOf([]);
  const own = (await flagsOf(['mtls'])).filter((flag) => !others.includes(flag));
  assert.equal(own.length, 1);
  return own.map((flag) => flag.replace('/etc/portcullis/clients', folder));
}

/** The documented configuration must let only the API server call the webhook. */
describe('a webhook that requires client certificates', function () {
  this.timeout(120_000);

  it('responds only to an API server that is configured as documented', async () => {
    using folder = temporaryFolder();
    const authority = await createAuthority('cluster', Date.now());
    const client = await authority.issue({ commonName: 'kube-apiserver', usage: 'client' });
    const files = stepsOf(join(root, 'docs/tasks/install.md')).filter(({ path }) =>
      path.startsWith('/etc/kubernetes/'),
    );
    const here = (text: string): string => text.replaceAll('/etc/kubernetes', folder.path);
    mkdirSync(join(folder.path, 'pki'));
    for (const { path, text } of files) writeFileSync(here(path), here(text));
    writeFileSync(join(folder.path, 'pki/webhook-client.crt'), client.certificate);
    writeFileSync(join(folder.path, 'pki/webhook-client.key'), client.key);
    writeFileSync(join(folder.path, 'ca.crt'), authority.certificate);
    const flags = await flagsOfComponent(folder.path);

    await using cluster = await startAdmissionCluster({
      apiServerArguments: [`--admission-control-config-file=${join(folder.path, 'admission.yaml')}`],
    });
    await using webhook = await startWebhook([...cluster.flags, ...flags, '--client-names=kube-apiserver']);
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register();
    const { stderr } = await cluster.plane.kubectlWith(BAD, 'create', '-f', '-');
    assert.match(stderr, /^The Service "bad" is invalid/);

    const ca = cluster.certificate.authority.certificate;
    await using stranger = Object.assign(new Agent({ allowH2: false, connect: { ca } }), {
      [Symbol.asyncDispose]: async () => stranger.destroy(),
    });
    const response = request(`https://127.0.0.1:${webhook.port}/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(aReview({ object: aService(), uid: 'u-1' })),
      dispatcher: stranger,
    });
    await assert.rejects(response, /certificate required|ECONNRESET|other side closed|socket/i);
  });
});
