import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificatesIn, isIssuedBy } from '../../../src/certificate/certificate-secret.ts';
import { createSigner, type Credential } from '../../../src/certificate/x509.ts';
import { applyCloudAccess, untilActive } from '../../../src/local/up/install.ts';
import { startProcess, type ProcessSpec } from '../../../src/local/process.ts';
import { binFolder, kubeletCredentialFile } from '../../../src/local/sandbox-files.ts';
import type { Secret, Service } from '../../../src/base/kubernetes-objects.ts';
import { startLoad } from '../../support/admission-load.ts';
import { assertAllEvaluated } from '../../support/webhook-rollouts.ts';
import { follow } from '../../support/deployment-follower.ts';
import { answered, eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { composed } from '../../support/kustomization.ts';
import { root } from '../../support/manifests.ts';
import { PROMETHEUS_KINDS } from '../../support/prometheus-kinds.ts';
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { uninstall } from '../../support/remove-installation.ts';

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const KINDS = 'classicloadbalancers.portcullis.io,cloudinventories.portcullis.io';
const SECRETS = ['portcullis-webhook-tls', 'portcullis-authority'];
/** The JSON patch that sets failurePolicy Fail, so that no request skips the webhook on a slow machine. */
const FAILING = JSON.stringify([
  { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
  { op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 30 },
]);
const never = new AbortController().signal;

const aService = (name: string, addressType: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations: { [`${PREFIX}address-type`]: addressType } },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  });
const DEPRECATED_PREFIX = PREFIX.replace('alibaba-cloud', 'alicloud');
const aDeprecated = aService('deprecated', 'intranet').replace(PREFIX, DEPRECATED_PREFIX);
const aNode = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'newcomer', labels: {} } });

/** An installation must recover from deleted parts, and each Kustomize component must work as documented. */
describe('an installation', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  let sandbox: TestSandbox;

  const apply = (overlay: string): Promise<string> =>
    sandbox.kubectl('apply', '-k', join(root, 'kustomize/overlays', overlay));
  const create = (text: string) => sandbox.kubectlWith(text, 'create', '--dry-run=server', '-f', '-');
  const deployed = (part: string): Promise<string> =>
    sandbox.kubectl(
      ...['-n', 'portcullis-system', 'rollout', 'status', `deployment/portcullis-${part}`, '--timeout=2m'],
    );
  const accessKey = (): { readonly id: string; readonly secret: string } => {
    const { ACCESS_KEY_ID: id = '', ACCESS_KEY_SECRET: secret = '' } = sandbox.record.environment;
    return { id, secret };
  };
  const inForce = (): Promise<void> => untilActive(sandbox.client, never);
  /** Checks that the controller leads and syncs Services. */
  const assertSyncs = async (name: string): Promise<void> => {
    const { code, stderr } = await sandbox.kubectlWith(aService(name, 'intranet'), 'create', '-f', '-');
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    await answered(async () => {
      const { status } = (await sandbox.client.get(`/api/v1/namespaces/default/services/${name}`)) as Service;
      return status?.loadBalancer?.ingress?.[0]?.ip;
    }, `${name} has an address`);
  };

  before(async () => {
    sandbox = resources.use(await startSandbox({ without: ['webhook', 'controller'] }));
    await uninstall(sandbox);
    resources.use(follow(sandbox));
  });
  after(() => resources.disposeAsync());

  it('works without cert-manager except for the webhook, which starts when cert-manager exists', async () => {
    await sandbox.kill('cert-manager');
    await apply('local');
    await applyCloudAccess(sandbox.client, accessKey(), never);
    await assertSyncs('before-cert-manager');
    const { code, stderr } = await create(aService('unjudged', 'nowhere'));
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const certManager: ProcessSpec = {
      name: 'cert-manager',
      command: join(binFolder(sandbox.folder), 'cert-manager'),
      args: [`--cluster=${join(sandbox.folder, 'cert-manager.kubeconfig')}`],
    };
    await startProcess(sandbox.folder, certManager);
    await inForce();
  });

  it('recovers after the deletion of all its pods, processes and Secrets', async () => {
    await sandbox.kubectl('-n', 'portcullis-system', 'delete', 'pods', '--all', '--wait=false');
    await sandbox.kubectl('-n', 'portcullis-system', 'delete', 'secrets', ...SECRETS);
    await Promise.all([sandbox.kill('webhook'), sandbox.stop('controller')]);
    await Promise.all([sandbox.start('webhook'), sandbox.start('controller')]);
    await eventually(async () => {
      const names = await sandbox.kubectl('-n', 'portcullis-system', 'get', 'secrets', '-o', 'name');
      for (const secret of SECRETS) assert.ok(names.includes(secret));
    });
    await inForce();
    await Promise.all(['webhook', 'controller'].map(deployed));
    await assertSyncs('after-all-was-gone');
  });

  it('works without its custom resource definitions, and uses them after their restoration', async () => {
    await sandbox.kubectl('delete', 'crd', ...KINDS.split(','));
    await sandbox.stop('controller');
    await sandbox.start('controller');
    await assertSyncs('without-kinds');
    assert.equal((await create(aService('denied', 'nowhere'))).code, 1);
    await apply('local');
    await sandbox.kubectl('wait', '--for=create', 'cloudinventory/default', '--timeout=2m');
    await sandbox.kubectl('wait', '--for=jsonpath={.status.regionId}', 'cloudinventory/default', '--timeout=2m');
  });

  it('signs as a role of its service account with the component rrsa, without a key', async () => {
    const [role, provider] = ['acs:ram::1234567890123456:role/portcullis', 'acs:ram::1234567890123456:oidc-provider/c'];
    const oidcSubjects = ['system:serviceaccount:portcullis-system:portcullis-controller'];
    await sandbox.simulator('seed', { roles: [{ id: role, oidcProviders: [provider], oidcSubjects }] });
    await sandbox.kubectl('-n', 'portcullis-system', 'delete', 'secret', 'portcullis-access-key');
    const literals = [`--from-literal=role-arn=${role}`, `--from-literal=oidc-provider-arn=${provider}`];
    await sandbox.kubectl('-n', 'portcullis-system', 'create', 'configmap', 'portcullis-rrsa', ...literals);
    using folder = temporaryFolder();
    await sandbox.kubectl('apply', '-k', composed(folder.path, { overlay: 'local', components: ['rrsa'] }));
    await deployed('controller');
    await assertSyncs('as-a-role');
    const journal = (await sandbox.simulator('journal')) as readonly { readonly action: string }[];
    assert.ok(journal.some(({ action }) => action === 'AssumeRoleWithOIDC'));
  });

  it('signs as the role of its machine with the component ram-role and monitoring', async () => {
    // The machine still has the role of the previous test, and there is no other key.
    for (const kind of PROMETHEUS_KINDS) await sandbox.kubectlWith(JSON.stringify(kind), 'create', '-f', '-');
    await sandbox.kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
    using folder = temporaryFolder();
    const components = ['ram-role', 'network-policy', 'prometheus', 'prometheus-annotations'];
    await sandbox.kubectl('apply', '-k', composed(folder.path, { overlay: 'local', components }));
    await deployed('controller');
    await assertSyncs('as-its-machine');
    await applyCloudAccess(sandbox.client, accessKey(), never);
  });

  it('keeps a deprecated annotation in addition to the current one, with the component gitops', async () => {
    using folder = temporaryFolder();
    await sandbox.kubectl('apply', '-k', composed(folder.path, { overlay: 'local', components: ['gitops'] }));
    await deployed('webhook');
    await eventually(async () => {
      const stored = await sandbox.kubectlWith(aDeprecated, 'create', '--dry-run=server', '-o', 'json', '-f', '-');
      const { annotations = {} } = (JSON.parse(stored.stdout) as Service).metadata;
      assert.deepEqual(
        [DEPRECATED_PREFIX, PREFIX].map((prefix) => annotations[`${prefix}address-type`]),
        ['intranet', 'intranet'],
      );
    });
  });

  it('denies by policies and syncs Services with the component without-webhook', async () => {
    using folder = temporaryFolder();
    const configurations = ['validatingwebhookconfiguration', 'mutatingwebhookconfiguration'];
    for (const kind of configurations) await sandbox.kubectl('delete', kind, 'portcullis');
    await sandbox.stop('webhook');
    await sandbox.kubectl('apply', '-k', composed(folder.path, { overlay: 'local', components: ['without-webhook'] }));
    await deployed('controller');
    await eventually(async () => {
      const { code, stderr } = await create(aService('denied', 'nowhere'));
      assert.equal(code, 1);
      assert.match(
        stderr,
        /'portcullis-annotation-values'.* Unsupported value: "nowhere": supported values: "internet", "intranet" /,
      );
    });
    await assertSyncs('without-a-webhook');
    await sandbox.kubectl('delete', '-k', join(root, 'manifests/without-webhook'));
    await sandbox.start('webhook');
  });

  it('warns instead of denying with the overlay rollout', async () => {
    await apply('rollout');
    await deployed('webhook');
    await eventually(async () => {
      const { code, stderr } = await create(aService('warned', 'nowhere'));
      assert.equal(code, 0);
      assert.match(stderr, /^Warning: .*address-type.* Unsupported value: "nowhere": /);
    });
  });

  it('denies only LoadBalancer Services while the webhook is stopped, with the overlay strict', async () => {
    await apply('strict');
    await deployed('webhook');
    await inForce();
    await sandbox.stop('webhook');
    await eventually(async () => {
      const { code, stderr } = await create(aService('unjudged', 'intranet'));
      assert.equal(code, 1);
      assert.match(stderr, /failed calling webhook "validate-service\.portcullis\.io"/);
    });
    assert.equal((await create(aNode)).code, 0);
    await sandbox.kubectl('create', 'service', 'clusterip', 'inside', '--tcp=80', '--dry-run=server');
    await sandbox.start('webhook');
    await eventually(inForce);
  });

  describe('without cert-manager, with the component self-managed-certificates,', () => {
    const SECRETS_PATH = '/api/v1/namespaces/portcullis-system/secrets';
    /** Returns the certificate of a Secret. */
    const certificateIn = async (secret: string): Promise<X509Certificate | undefined> => {
      const { data } = ((await sandbox.client.find(`${SECRETS_PATH}/${secret}`)) ?? {}) as Partial<Secret>;
      return certificatesIn(Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString())[0];
    };
    /** Returns the number of authorities that API servers trust for each webhook. */
    const trusted = async (): Promise<readonly number[]> => {
      const kinds = 'mutatingwebhookconfigurations,validatingwebhookconfigurations';
      const template =
        '{range .items[?(@.metadata.name=="portcullis")].webhooks[*]}{.clientConfig.caBundle}{"\\n"}{end}';
      const bundles = await sandbox.kubectl('get', kinds, '-o', `jsonpath=${template}`);
      return bundles
        .trim()
        .split('\n')
        .map((bundle) => certificatesIn(Buffer.from(bundle, 'base64').toString()).length);
    };
    /** Waits until the controller's new authority is trusted alone, and has signed the served certificate. */
    const settled = (before: readonly (string | undefined)[]): Promise<true> =>
      answered(async () => {
        const authority = await certificateIn('portcullis-authority');
        const serving = await certificateIn('portcullis-webhook-tls');
        if (authority === undefined || serving === undefined || before.includes(authority.fingerprint256))
          return undefined;
        const isAlone = (await trusted()).every((count) => count === 1);
        return (isAlone && isIssuedBy(serving, authority)) || undefined;
      }, 'an authority of the controller’s own is trusted alone');

    it('replaces an authority of cert-manager that expires soon, and no write fails', async () => {
      using folder = temporaryFolder();
      const own = { patches: [{ target: { kind: '(Mutating|Validating)WebhookConfiguration' }, patch: FAILING }] };
      await sandbox.kubectl('apply', '-k', composed(join(folder.path, 'before'), { overlay: 'local', own }));
      await applyCloudAccess(sandbox.client, accessKey(), never);
      await eventually(inForce);
      await sandbox.kill('cert-manager');
      const label = 'app.kubernetes.io/name=portcullis';
      await sandbox.kubectl('-n', 'portcullis-system', 'delete', 'certificates,issuers', '-l', label);
      const of = await certificateIn('portcullis-authority');
      const ending = await createSigner('ending', {
        notBefore: Date.now() - 3_600_000,
        notAfter: Date.now() + 600_000,
      });
      await sandbox.client.apply(`${SECRETS_PATH}/portcullis-authority`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'portcullis-authority' },
        stringData: { 'tls.crt': ending.certificate, 'tls.key': ending.key },
      });
      const { server, certificateAuthority } = sandbox.record.address;
      const administrator = JSON.parse(readFileSync(kubeletCredentialFile(sandbox.folder), 'utf8')) as Credential;
      await using load = startLoad({ server, certificateAuthority, administrator }, { perSecond: 50 });
      await load.more(25);
      const components = ['self-managed-certificates'];
      await sandbox.kubectl('apply', '-k', composed(join(folder.path, 'after'), { overlay: 'local', components, own }));
      await settled([of?.fingerprint256, new X509Certificate(ending.certificate).fingerprint256]);
      await load.more(25);
      assertAllEvaluated(await load.stop());
    });

    it('recreates all certificates after the deletion of its Secrets', async () => {
      const before = await certificateIn('portcullis-authority');
      await sandbox.kubectl('-n', 'portcullis-system', 'delete', 'secrets', ...SECRETS);
      await sandbox.stop('controller');
      await sandbox.start('controller');
      await answered(async () => {
        const [authority, serving] = await Promise.all(
          ['portcullis-authority', 'portcullis-webhook-tls'].map(certificateIn),
        );
        const isNew = authority !== undefined && authority.fingerprint256 !== before?.fingerprint256;
        return (isNew && serving !== undefined && isIssuedBy(serving, authority)) || undefined;
      }, 'another authority has signed what is served');
      await eventually(inForce);
      assert.deepEqual([...new Set(await trusted())], [2]);
    });
  });
});
