import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { CHART, CHART_FILES } from '../support/chart/chart.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chartFolder, helmOf, valuesFlags, type Helm } from '../support/helm.ts';
import { composed, type Composition } from '../support/kustomization.ts';
import { parseManifests, render, root, type Manifest } from '../support/manifests.ts';
import { workloadsOf, type Workload } from '../support/workload.ts';

type Values = Readonly<Record<string, unknown>>;

/** Parts of the chart that are written by hand. */
const WRITTEN = ['NOTES.txt', '_helpers.tpl', 'config-maps.yaml'].map((file) => `${CHART}/templates/${file}`);
const NAMESPACE = ['--namespace', 'portcullis-system'];
const TAG = { images: [{ name: 'portcullis', newTag: '0.1.0' }] };

const LOCAL: Values = {
  'controller.replicas': 1,
  'controller.extraArgs': ['--cluster-cidr=10.64.0.0/12', '--node-removal-grace=10s'],
  'webhook.replicas': 1,
};

/** Installations with kustomize, and the values of the chart for the same objects. */
const SAME: Readonly<Record<string, readonly [composition: Composition, values: Values]>> = {
  default: [{ overlay: 'default' }, {}],
  rollout: [{ overlay: 'rollout' }, { profile: 'rollout' }],
  strict: [{ overlay: 'strict' }, { profile: 'strict' }],
  'self-managed-cluster': [{ overlay: 'self-managed-cluster' }, { selfManagedCluster: true }],
  local: [{ overlay: 'local', own: TAG }, LOCAL],
  rrsa: [{ components: ['cert-manager', 'rrsa'], own: TAG }, { 'credentials.source': 'rrsa' }],
  'ram-role': [{ components: ['cert-manager', 'ram-role'], own: TAG }, { 'credentials.source': 'instance-role' }],
  'access-key': [{ components: ['cert-manager', 'access-key'], own: TAG }, {}],
  'host-network': [{ overlay: 'default', components: ['host-network'] }, { 'controller.hostNetwork': true }],
  'control-plane': [{ overlay: 'default', components: ['control-plane'] }, { 'controller.controlPlane': true }],
  gitops: [{ overlay: 'default', components: ['gitops'] }, { 'webhook.keepDeprecatedKeys': true }],
  mtls: [{ overlay: 'default', components: ['mtls'] }, { 'webhook.requireClientCertificates': true }],
  'network-policy': [{ overlay: 'default', components: ['network-policy'] }, { 'networkPolicy.enabled': true }],
  prometheus: [{ overlay: 'default', components: ['prometheus'] }, { metrics: 'prometheus-operator' }],
  'prometheus-annotations': [
    { overlay: 'default', components: ['prometheus-annotations'] },
    { metrics: 'annotations' },
  ],
  'self-managed-certificates': [
    { overlay: 'default', components: ['self-managed-certificates'] },
    { 'certificates.issuer': 'controller' },
  ],
  'keep-crds': [{ overlay: 'default', components: ['keep-crds'] }, { 'crds.keep': true }],
  'without-webhook': [{ overlay: 'default', components: ['without-webhook'] }, { 'webhook.enabled': false }],
  'strict with further components': [
    { overlay: 'strict', components: ['gitops', 'mtls', 'network-policy', 'prometheus'] },
    {
      profile: 'strict',
      'webhook.keepDeprecatedKeys': true,
      'webhook.requireClientCertificates': true,
      'networkPolicy.enabled': true,
      metrics: 'prometheus-operator',
    },
  ],
  'rollout without the webhook, with alerts': [
    { overlay: 'rollout', components: ['prometheus', 'without-webhook'] },
    { profile: 'rollout', metrics: 'prometheus-operator', 'webhook.enabled': false },
  ],
  'self-managed-cluster without cert-manager, with annotations': [
    { overlay: 'self-managed-cluster', components: ['prometheus-annotations', 'self-managed-certificates'] },
    { selfManagedCluster: true, metrics: 'annotations', 'certificates.issuer': 'controller' },
  ],
};

/** Values that the schema rejects, with the message of Helm. */
const REJECTED: readonly (readonly [values: Values, message: RegExp])[] = [
  [{ profile: 'stict' }, /at '\/profile': value must be one of 'default', 'rollout', 'strict'/],
  [{ 'webhook.replicas': 0 }, /at '\/webhook\/replicas': .*minimum: got 0, want 1/],
  [{ 'controller.replicas': -1 }, /at '\/controller\/replicas': minimum: got -1, want 0/],
  [{ 'webhook.replica': 3 }, /at '\/webhook': additional properties 'replica' not allowed/],
  [{ 'credentials.source': 'secret' }, /at '\/credentials\/source': value must be one of 'access-key', 'rrsa'/],
  [{ 'cloudConfig.regionId': 'cn-hangzhou' }, /at '\/cloudConfig': additional properties 'regionId' not allowed/],
  [{ 'cloudConfig.accessKeySecret': 'x' }, /additional properties 'accessKeySecret' not allowed/],
  [{ 'cloudConfig.vpcid': 'bp1' }, /at '\/cloudConfig\/vpcid': 'bp1' does not match pattern/],
  [{ protectedLoadBalancers: ['bp1'] }, /at '\/protectedLoadBalancers\/0': 'bp1' does not match pattern/],
  [{ 'networkPolicy.apiServers': [] }, /at '\/networkPolicy\/apiServers': minItems: got 0, want 1/],
  [{ 'image.digest': 'sha256:1' }, /at '\/image\/digest': 'sha256:1' does not match pattern/],
];

const keyOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  [apiVersion, kind, metadata.namespace ?? '', metadata.name].join(' ');
const byKey = (objects: readonly Manifest[]): Readonly<Record<string, Manifest>> => {
  assert.equal(new Set(objects.map(keyOf)).size, objects.length);
  return Object.fromEntries(objects.map((object) => [keyOf(object), object]));
};

const named = (objects: readonly Manifest[], kind: string, name: string): Manifest | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const workloadOf = (objects: readonly Manifest[], process: string): Workload => {
  const workload = workloadsOf(objects).find(({ metadata }) => metadata.name === `portcullis-${process}`);
  assert.ok(workload !== undefined);
  return workload;
};
const containerOf = (objects: readonly Manifest[], process: string) =>
  workloadOf(objects, process).spec.template.spec?.containers[0];

/** Values without a counterpart in kustomize, with checks of their objects. */
const EFFECTS: Readonly<Record<string, readonly [values: Values, check: (objects: readonly Manifest[]) => void]>> = {
  'the tag of the image': [
    { 'image.repository': 'registry.example.com/portcullis', 'image.tag': '0.2.0' },
    (objects) => {
      for (const process of ['controller', 'webhook'])
        assert.equal(containerOf(objects, process)?.image, 'registry.example.com/portcullis:0.2.0');
    },
  ],
  'the digest of the image, instead of a tag': [
    { 'image.tag': '0.2.0', 'image.digest': `sha256:${'0'.repeat(64)}` },
    (objects) => assert.equal(containerOf(objects, 'webhook')?.image, `portcullis@sha256:${'0'.repeat(64)}`),
  ],
  'two replicas of the webhook with the profile strict': [
    { profile: 'strict', 'webhook.replicas': 2 },
    (objects) => assert.equal(workloadOf(objects, 'webhook').spec.replicas, 2),
  ],
  'no replica of the controller': [
    { 'controller.replicas': 0 },
    (objects) => assert.equal(workloadOf(objects, 'controller').spec.replicas, 0),
  ],
  'protected load balancers, for both processes': [
    { protectedLoadBalancers: ['lb-bp1', 'lb-bp2'] },
    (objects) => {
      for (const process of ['controller', 'webhook'])
        assert.equal(containerOf(objects, process)?.args?.at(-1), '--protected-load-balancers=lb-bp1,lb-bp2');
    },
  ],
  'resources, flags, variables and placement of one process': [
    {
      'webhook.resources': { requests: { cpu: '1' } },
      'webhook.extraArgs': ['--max-in-flight=800'],
      'webhook.extraEnv': [{ name: 'TZ', value: 'UTC' }],
      'webhook.tolerations': [{ key: 'ours', operator: 'Exists' }],
      'webhook.nodeSelector': { pool: 'system' },
      'webhook.podAnnotations': { owner: 'platform' },
      'image.pullSecrets': [{ name: 'registry' }],
    },
    (objects) => {
      const { template } = workloadOf(objects, 'webhook').spec;
      const container = containerOf(objects, 'webhook');
      assert.equal(container?.resources?.requests?.['cpu'], '1');
      assert.equal(container.args?.at(-1), '--max-in-flight=800');
      assert.deepEqual(container.env?.at(-1), { name: 'TZ', value: 'UTC' });
      assert.deepEqual(template.spec?.tolerations?.at(-1), { key: 'ours', operator: 'Exists' });
      assert.deepEqual(template.spec.nodeSelector, { 'kubernetes.io/os': 'linux', pool: 'system' });
      assert.deepEqual(template.spec.imagePullSecrets, [{ name: 'registry' }]);
      assert.deepEqual(template.metadata?.annotations, { owner: 'platform' });
      assert.doesNotMatch(JSON.stringify(workloadOf(objects, 'controller')), /ours|platform|max-in-flight|pool/);
    },
  ],
  'the cloud-config file and the range of pods': [
    { 'cloudConfig.region': 'cn-hangzhou', selfManagedCluster: true, clusterCidr: '172.16.0.0/16' },
    (objects) => {
      const { data } = named(objects, 'ConfigMap', 'portcullis-cloud-config') as { data?: Record<string, string> };
      assert.deepEqual(JSON.parse(data?.['cloud-config.conf'] ?? ''), { Global: { region: 'cn-hangzhou' } });
      assert.equal(data?.['cluster-cidr'], '172.16.0.0/16');
    },
  ],
  'the RAM role and the OIDC provider of RRSA': [
    { 'credentials.source': 'rrsa', 'credentials.roleArn': 'acs:role', 'credentials.oidcProviderArn': 'acs:oidc' },
    (objects) =>
      assert.deepEqual(named(objects, 'ConfigMap', 'portcullis-rrsa')?.['data'], {
        'role-arn': 'acs:role',
        'oidc-provider-arn': 'acs:oidc',
      }),
  ],
  'the service account of the cert-manager injector': [
    { 'certificates.injector': { name: 'tls-cainjector', namespace: 'security' } },
    (objects) =>
      assert.deepEqual(named(objects, 'ClusterRoleBinding', 'portcullis-certificate-injector')?.['subjects'], [
        { kind: 'ServiceAccount', name: 'tls-cainjector', namespace: 'security' },
      ]),
  ],
};

/** Users install with kustomize or with Helm. The chart must create the objects that kustomize creates, and reject wrong values. */
describe('the chart', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let kustomize = '';
  let helm: Helm;
  before(async () => {
    const tools = await obtainTools(['kustomize', 'helm'], { env: process.env, progress: silent });
    kustomize = tools.kustomize;
    helm = helmOf(tools.helm, folder.path);
  });
  after(() => folder[Symbol.dispose]());

  const template = (values: Values, ...flags: readonly string[]) =>
    helm('template', 'portcullis', chartFolder, ...NAMESPACE, ...valuesFlags(values), ...flags);
  const objectsOf = async (values: Values): Promise<readonly Manifest[]> => {
    const { code, stdout, stderr } = await template(values);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    return parseManifests(stdout);
  };

  it('consists of generated files and handwritten templates', () => {
    const files = globSync(`${CHART}/**/*.*`, { cwd: root });
    assert.deepEqual(files.sort(), [...CHART_FILES.map(({ path }) => path), ...WRITTEN].sort());
  });

  it('passes helm lint', async () => {
    const { code, stdout } = await helm('lint', chartFolder, '--strict', ...NAMESPACE);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
    assert.doesNotMatch(stdout, /\[(ERROR|WARNING)\]/);
  });

  it('is compared with each overlay and component', () => {
    const folders = ['overlays', 'components'].flatMap((kind) => readdirSync(join(root, 'kustomize', kind)));
    const parts = Object.values(SAME).flatMap(([{ overlay, components = [] }]) => [overlay, ...components]);
    assert.deepEqual(
      folders.filter((name) => !parts.includes(name)),
      [],
    );
  });

  for (const [title, [composition, values]] of Object.entries(SAME)) {
    it(`has the objects of kustomize: ${title}`, async () => {
      const rendered = await render(kustomize, composed(join(folder.path, title), composition));
      const objects = await objectsOf({ 'namespace.create': true, 'crds.keep': false, ...values });
      assert.deepEqual(byKey(objects), byKey(parseManifests(rendered)));
    });
  }

  for (const [title, [values, check]] of Object.entries(EFFECTS))
    it(`has a value for ${title}`, async () => check(await objectsOf(values)));

  for (const [values, message] of REJECTED)
    it(`rejects ${JSON.stringify(values)}`, async () => {
      const { code, stdout, stderr } = await template(values);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, message);
    });

  it('keeps the custom resource definitions by default, and contains no namespace', async () => {
    const objects = await objectsOf({});
    const kept = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep');
    assert.deepEqual([...new Set(kept.map(({ kind }) => kind))], ['CustomResourceDefinition']);
    assert.equal(kept.length, readdirSync(join(root, 'manifests/crds')).length - 1);
    assert.deepEqual(
      objects.filter(({ kind }) => kind === 'Namespace'),
      [],
    );
  });

  const MISSING: readonly (readonly [values: Values, flags: readonly string[], message: RegExp])[] = [
    [{}, ['--namespace', 'default'], /Portcullis runs in the namespace portcullis-system: add --namespace/],
    [{ selfManagedCluster: true, 'cloudConfig.region': 'cn-hangzhou' }, [], /clusterCidr is missing: set the range/],
    [{ 'credentials.source': 'rrsa', 'credentials.roleArn': 'acs:role' }, [], /oidcProviderArn is missing/],
    [{}, ['--kube-version', '1.33.0'], /chart requires kubeVersion: >=1\.34\.0-0/],
  ];
  for (const [values, flags, message] of MISSING)
    it(`rejects ${JSON.stringify(values)} with the flags [${flags.join(' ')}]`, async () => {
      const { code, stderr } = await template(values, ...flags);
      assert.equal(code, 1);
      assert.match(stderr, message);
    });
});
