import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../../src/rules/index.ts';
import { serverGroupNamespace } from '../../../src/rules/server-group-namespace.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { aFacts } from '../../support/facts.ts';
import { startWebhook } from '../../support/webhook-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ID = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';

/** Protected load balancers in the inventory and in the parameters of the policies. */
const PROTECTED = { 'lb-bp1apiserver': 'api-server', 'lb-bp1othercluster': 'other-cluster' } as const;
const FACTS = aFacts({
  loadBalancers: Object.fromEntries(Object.entries(PROTECTED).map(([id, owner]) => [id, { owner }])),
});

interface Sample {
  readonly file: string;
  readonly service: Service;
  /** Safety rules that deny the Service. */
  readonly against: readonly string[];
}

/** The safety rules that have an admission policy: all except one, because a policy cannot read other Services. */
const SAFETY = SERVICE_RULES.filter((rule) => rule.tier === 'safety' && rule !== serverGroupNamespace);

const isService = (object: Partial<Service> | null): object is Service => object?.kind === 'Service';
const rulesAgainst = (service: Service): readonly string[] =>
  SAFETY.filter((rule) => rule.check(serviceSubject(service), FACTS, { mode: () => 'enforce' }).length > 0).map(
    ({ name }) => name,
  );

/** Every Service of the samples, with the verdict of the safety rules. */
const SAMPLES: readonly Sample[] = globSync('manifests/samples/*.yaml', { cwd: ROOT }).flatMap((path) =>
  parseAllDocuments(readFileSync(join(ROOT, path), 'utf8'))
    .map((document) => document.toJS() as Partial<Service> | null)
    .filter(isService)
    .map((service) => ({ file: basename(path, '.yaml'), service, against: rulesAgainst(service) })),
);

/** The samples show users which Services are denied, so the safety rules must treat them as documented. */
describe('the samples', function () {
  this.timeout(240_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  const apply = (object: object) =>
    cluster.plane.kubectlWith(JSON.stringify(object), 'apply', '--dry-run=server', '-f', '-');
  const reuse = (namespace: string, labels: Readonly<Record<string, string>> = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'reuses', namespace, labels, annotations: { [ID]: 'lb-bp1apiserver' } },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  });

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    const namespaces = new Set(SAMPLES.map(({ service }) => service.metadata.namespace));
    for (const name of namespaces) {
      if (name !== 'default') await cluster.plane.kubectl('create', 'namespace', name);
    }
    const data = { name: 'portcullis-protected', namespace: 'portcullis-system' };
    await cluster.applyObjects([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: data, data: PROTECTED }]);
    await cluster.plane.kubectl('apply', '--server-side', '-k', join(ROOT, 'manifests/admission-policy'));
    await answered(async () => (await apply(reuse('default'))).code === 1 || undefined, 'the policies are in force');
  });
  after(() => resources.disposeAsync());

  /** Checks that each sample gets the verdict of the safety rules, with a message that names the rule and the remedy. */
  async function assertEvaluated(): Promise<void> {
    const wrong: string[] = [];
    for (const { file, service, against } of SAMPLES) {
      const { code, stderr } = await apply(service);
      const detail = `Forbidden: load balancer ${service.metadata.annotations?.[ID] ?? ''} `;
      const isReported = against.every((rule) => stderr.includes(` [${rule}]`) && stderr.includes(detail));
      if ((code !== 0) !== against.length > 0 || !isReported) wrong.push(`${file}: ${stderr}`);
    }
    assert.deepEqual(wrong, []);
    const named = SAMPLES.flatMap(({ against }) => against);
    assert.deepEqual([...new Set(named)].sort(), SAFETY.map(({ name }) => name).sort(), 'each rule has its sample');
  }

  it('are denied or allowed by the safety rules without a registered webhook', assertEvaluated);

  it('are denied or allowed by the safety rules after all webhook replicas stop', async () => {
    await cluster.register();
    await cluster.inventory();
    const faults = SAMPLES.find(({ file }) => file === 'faults')?.service ?? assert.fail();
    const replicas = [await startWebhook(cluster.flags), await startWebhook(cluster.flags)];
    try {
      for (const replica of replicas) await replica.ready();
      cluster.route(...replicas.map(({ port }) => port));
      await answered(async () => (await apply(faults)).code === 1 || undefined, 'the webhook evaluates');
    } finally {
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
    }
    await assertEvaluated();
  });

  it('cannot be excluded from the safety rules by a label or a namespace', async () => {
    const labels = {
      'admission.gatekeeper.sh/ignore': 'true',
      'cert-manager.io/disable-validation': 'true',
      'control-plane': 'controller-manager',
      'portcullis.io/ignore': 'true',
      'service.k8s.alibaba/loadbalancer-id': 'lb-x',
    };
    for (const namespace of ['kube-system', 'portcullis-system']) {
      await cluster.plane.kubectl(
        'label',
        'namespace',
        namespace,
        ...Object.entries(labels).map((pair) => pair.join('=')),
      );
      const { code, stderr } = await apply(reuse(namespace, labels));
      assert.equal(code, 1, namespace);
      assert.match(stderr, /serves the API server of a cluster/);
    }
  });
});
