import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { silent } from '../../../src/local/progress.ts';
import { cloudConfig } from '../../../src/local/seed.ts';
import { obtainTools } from '../../../src/local/tools/find-or-build-tools.ts';
import { untilActive } from '../../../src/local/up/install.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { follow } from '../../support/deployment-follower.ts';
import { shellIn, type Shell } from '../../support/documented-steps.ts';
import { answered, eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { helmFolders } from '../../support/helm.ts';
import { manifestsOf, root } from '../../support/manifests.ts';
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { uninstall } from '../../support/remove-installation.ts';

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const NAMESPACE = 'portcullis-system';
const KINDS = manifestsOf('manifests/crds/*.yaml').map(({ metadata }) => metadata.name);
/** The values of a user: those of the overlay `local`, and a cloud-config without `zoneid`, which has no effect. */
const VALUES = {
  controller: { replicas: 1, extraArgs: ['--cluster-cidr=10.64.0.0/12', '--node-removal-grace=10s'] },
  webhook: { replicas: 1 },
  cloudConfig: Object.fromEntries(
    Object.entries((JSON.parse(cloudConfig()) as { readonly Global: object }).Global).filter(
      ([key]) => key !== 'zoneid',
    ),
  ),
};
const RELEASE = 'portcullis ../charts/portcullis --namespace portcullis-system --values mine/values.yaml';
type Documented = readonly [page: string, command: string];
/** Commands of the documentation, with their pages. */
const INSTALL: Documented = ['install', `helm install ${RELEASE}`];
const TAKE_OVER: Documented = ['install', `helm install ${RELEASE} --take-ownership --force-conflicts`];
const COMPARE: Documented = ['upgrade', `helm template ${RELEASE} | kubectl diff -f - || true`];
const UPGRADE: Documented = ['upgrade', `helm upgrade ${RELEASE}`];
const UNINSTALL: Documented = ['uninstall', 'helm uninstall portcullis --namespace portcullis-system'];
const never = new AbortController().signal;

const aService = (name: string, addressType: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations: { [`${PREFIX}address-type`]: addressType } },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  });
const POLICY = JSON.stringify({
  apiVersion: 'portcullis.io/v1alpha1',
  kind: 'LoadBalancerPolicy',
  metadata: { name: 'kept' },
  spec: { constraints: [{ name: 'admin', mode: 'warn', require: [{ field: 'port', noneOf: ['8081'] }] }] },
});

interface AuditEvent {
  readonly userAgent?: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
}

/** Runs the commands of the page about Helm in a sandbox, because an upgrade in a wrong order could interrupt the webhook. */
describe('an installation with Helm', function () {
  this.timeout(180_000);
  const resources = new AsyncDisposableStack();
  const folder = temporaryFolder();
  let sandbox: TestSandbox;
  let shell: Shell;
  let address = '';

  const writeValues = (values: object): void => shell.write('mine/values.yaml', JSON.stringify(values));
  /** Runs a command of a page. */
  const documented = ([page, command]: Documented): Promise<string> => {
    const lines = readFileSync(join(root, `docs/tasks/${page}.md`), 'utf8').split('\n');
    assert.ok(
      lines.some((line) => line.trim() === command),
      `${page} has no line ${command}`,
    );
    return shell.run(command);
  };
  const active = async (): Promise<void> => {
    for (const part of ['webhook', 'controller'])
      await sandbox.kubectl(...['-n', NAMESPACE, 'rollout', 'status', `deployment/portcullis-${part}`, '--timeout=2m']);
    await untilActive(sandbox.client, never);
  };
  const send = (text: string, ...flags: readonly string[]) => sandbox.kubectlWith(text, 'create', ...flags, '-f', '-');
  const create = async (text: string): Promise<void> => {
    const { code, stderr } = await send(text);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  };
  const addressOf = (name: string): Promise<string> =>
    answered(async () => {
      const { status } = (await sandbox.client.get(`/api/v1/namespaces/default/services/${name}`)) as Service;
      return status?.loadBalancer?.ingress?.[0]?.ip;
    }, `${name} has an address`);
  const loadBalancers = async (): Promise<unknown> =>
    ((await sandbox.simulator('state')) as { readonly loadBalancers: unknown }).loadBalancers;
  const authorities = (): Promise<string> =>
    sandbox.kubectl(
      'get',
      'mutatingwebhookconfiguration,validatingwebhookconfiguration',
      '-o',
      'jsonpath={..caBundle}',
    );
  const auditLines = (): readonly string[] => readFileSync(join(sandbox.logs, 'audit.log'), 'utf8').trim().split('\n');
  /** Returns the objects that Helm has changed since a line of the audit log, in their order. */
  const changedSince = (line: number): readonly string[] =>
    auditLines()
      .slice(line)
      .filter((text) => text.includes('"userAgent":"Helm/'))
      .map((text) => JSON.parse(text) as AuditEvent)
      .filter(({ verb }) => verb === 'patch')
      .map(({ objectRef }) => `${objectRef?.resource ?? ''}/${objectRef?.name ?? ''}`);

  before(async () => {
    const { helm } = await obtainTools(['helm'], { env: process.env, progress: silent });
    sandbox = resources.use(await startSandbox({ without: ['webhook', 'controller'] }));
    for (const part of ['charts', 'kustomize', 'manifests'])
      cpSync(join(root, part), join(folder.path, part), { recursive: true });
    mkdirSync(join(folder.path, 'kustomize/mine'));
    const PATH = [dirname(helm), sandbox.environment['PATH']].join(':');
    shell = shellIn(folder.path, { ...sandbox.environment, ...helmFolders(folder.path), PATH });
    await shell.run('cd kustomize');
    writeValues(VALUES);
    await uninstall(sandbox);
    resources.use(follow(sandbox));
  });
  after(async () => {
    await resources.disposeAsync();
    folder[Symbol.dispose]();
  });

  it('denies and syncs Services', async () => {
    const { ACCESS_KEY_ID: id = '', ACCESS_KEY_SECRET: secret = '' } = sandbox.record.environment;
    await shell.run('kubectl apply -f ../manifests/namespace/namespace.yaml');
    const literals = `--from-literal=access-key-id=${id} --from-literal=access-key-secret=${secret}`;
    await shell.run(`kubectl -n ${NAMESPACE} create secret generic portcullis-access-key ${literals}`);
    assert.match(await documented(INSTALL), /Portcullis \d+\.\d+\.\d+ is installed with the profile default/);
    await active();
    await create(aService('kept', 'intranet'));
    address = await addressOf('kept');
    await create(POLICY);
  });

  it('has no difference from the chart after cert-manager and Kubernetes have written', async () => {
    assert.equal(await documented(COMPARE), '');
  });

  it('stays as it is if a value of an upgrade is out of range', async () => {
    writeValues({ ...VALUES, webhook: { replicas: 0 } });
    await assert.rejects(documented(UPGRADE), /at '\/webhook\/replicas': minimum: got 0, want 1/);
    const history = JSON.parse(
      await shell.run(`helm history portcullis -n ${NAMESPACE} -o json`),
    ) as readonly unknown[];
    assert.equal(history.length, 1);
  });

  it('upgrades definitions, rights, the controller and the webhook in this order', async () => {
    const definition = join(folder.path, 'charts/portcullis/templates/crds/load-balancer-bindings.yaml');
    writeFileSync(definition, readFileSync(definition, 'utf8').replace('name: Load Balancer\n', 'name: Bound\n'));
    writeValues({ ...VALUES, profile: 'rollout' });
    const before = { authorities: await authorities(), lines: auditLines().length };
    await documented(UPGRADE);
    assert.equal(await authorities(), before.authorities);
    const changed = changedSince(before.lines);
    const order = [
      'customresourcedefinitions/loadbalancerpolicies.portcullis.io',
      'clusterroles/portcullis-controller',
      'clusterrolebindings/portcullis-webhook',
      'deployments/portcullis-controller',
      'deployments/portcullis-webhook',
      'mutatingwebhookconfigurations/portcullis',
    ];
    assert.deepEqual(
      changed.filter((object) => order.includes(object)),
      order,
    );
    assert.match(await sandbox.kubectl('get', 'lbb'), / BOUND /);
    await eventually(async () => {
      const { code, stderr } = await send(aService('warned', 'nowhere'), '--dry-run=server');
      assert.equal(code, 0);
      assert.match(stderr, /^Warning: .* Unsupported value: "nowhere": /);
    });
  });

  it('returns to an earlier revision', async () => {
    await shell.run(`helm rollback portcullis --namespace ${NAMESPACE}`);
    await active();
    assert.match(await sandbox.kubectl('get', 'lbb'), / LOAD BALANCER /);
  });

  it('is uninstalled without a change in the cloud, and keeps definitions, bindings and policies', async () => {
    const before = await loadBalancers();
    await documented(UNINSTALL);
    const kinds = 'deployments,services,serviceaccounts,configmaps';
    const ours = ['-n', NAMESPACE, '-l', 'app.kubernetes.io/name=portcullis', '-o', 'name'];
    assert.equal(await sandbox.kubectl('get', kinds, ...ours), '');
    assert.deepEqual(await loadBalancers(), before);
    await sandbox.kubectl('get', 'crd', ...KINDS);
    assert.equal((await sandbox.kubectl('get', 'lbb', '-o', 'name')).trim().split('\n').length, 1);
    await sandbox.kubectl('get', 'lbp', 'kept');
    assert.equal((await send(aService('unchecked', 'nowhere'), '--dry-run=server')).code, 0);
  });

  it('continues with its Services when it is installed again', async () => {
    const before = await loadBalancers();
    cpSync(join(root, 'charts'), join(folder.path, 'charts'), { recursive: true });
    writeValues(VALUES);
    await documented(INSTALL);
    await active();
    await create(aService('second', 'intranet'));
    assert.notEqual(await addressOf('second'), address);
    await sandbox.kubectl('delete', 'service', 'second');
    assert.equal(await addressOf('kept'), address);
    assert.deepEqual(await loadBalancers(), before);
  });

  it('takes over an installation of kubectl', async () => {
    await documented(UNINSTALL);
    await shell.run('kubectl apply -k overlays/local');
    await assert.rejects(
      documented(INSTALL),
      /exists and cannot be imported into the current release: invalid ownership/,
    );
    await documented(TAKE_OVER);
    await active();
    assert.equal(await addressOf('kept'), address);
  });
});
