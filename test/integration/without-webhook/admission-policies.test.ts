import assert from 'node:assert/strict';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { answered } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { TENANT_RIGHTS } from '../../support/tenant-rights.ts';
import { noteRequest } from '../../support/permission-usage/requests.ts';
import { startWebhook } from '../../support/webhook-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ID = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
const OLD_ID = 'service.beta.kubernetes.io/alicloud-loadbalancer-id';
const CLASS = 'service.beta.kubernetes.io/class';
const TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type';

/** Parameters that the inventory writes for the policies. */
const PROTECTED = {
  'lb-bp1apiserver': 'api-server',
  'lb-bp1othercluster': 'other-cluster',
  'lb-bp1mine': 'this-cluster',
};
const CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'portcullis-protected', namespace: 'portcullis-system' },
  data: PROTECTED,
};

interface Data {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly finalizers?: readonly string[];
  readonly spec?: object;
}

const service = (name: string, { annotations = {}, type = 'LoadBalancer', finalizers = [], spec = {} }: Data = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'demo', annotations, finalizers },
  spec: { type, selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
});

/** Without a webhook, ValidatingAdmissionPolicies must still protect the load balancers of API servers and other owners. */
describe('the safety rules without a webhook', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  const kubectl = (object: object | string, ...args: string[]) =>
    cluster.plane.kubectlWith(typeof object === 'string' ? object : stringify(object), ...args);
  const apply = (object: object | string, ...args: string[]) => kubectl(object, 'apply', ...args, '-f', '-');
  const as = (user: string): readonly string[] => [`--as=${user}`];
  const denies = async (run: Promise<{ code: number; stderr: string }>, ...texts: readonly RegExp[]): Promise<void> => {
    const { code, stderr } = await run;
    assert.equal(code, 1, stderr);
    for (const text of texts) assert.match(stderr, text);
  };
  const accepts = async (run: Promise<{ code: number; stderr: string }>): Promise<void> => {
    const { code, stderr } = await run;
    assert.equal(code, 0, stderr);
  };
  const protect = (value: object) => accepts(apply({ ...CONFIG_MAP, data: value }, '--server-side'));

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.plane.kubectl('create', 'namespace', 'demo');
    await cluster.register();
    for (const rights of TENANT_RIGHTS) await accepts(apply(rights));
    await accepts(
      apply(service('stored', { annotations: { [ID]: 'lb-bp1apiserver' }, finalizers: ['example.com/hold'] })),
    );
    await accepts(apply(service('plain', { annotations: { [ID]: 'lb-bp1apiserver' }, type: 'ClusterIP' })));
    await accepts(apply(service('network', { annotations: { [ID]: 'lb-bp1apiserver', [TYPE]: 'nlb' } })));
    await cluster.plane.kubectl('apply', '--server-side', '-k', join(ROOT, 'manifests/admission-policy'));
    // Waits for denials of other policies, because the policy about Services denies nothing without the ConfigMap.
    await answered(async () => {
      const { code } = await kubectl('', 'annotate', 'clb', 'none', 'a=b', '--dry-run=server', ...as('tenant'));
      const forged = { apiVersion: 'portcullis.io/v1alpha1', kind: 'ClassicLoadBalancer', metadata: { name: 'lb-x' } };
      const { code: denied } = await apply(forged, '--dry-run=server', ...as('tenant'));
      return (code === 1 && denied === 1) || undefined;
    }, 'the policies are in force');
    await accepts(apply(service('early', { annotations: { [ID]: 'lb-bp1apiserver' } }), '--dry-run=server'));
    await protect(PROTECTED);
    await answered(async () => {
      const reuse = service('probe', { annotations: { [ID]: 'lb-bp1apiserver' } });
      return (await apply(reuse, '--dry-run=server')).code === 1 || undefined;
    }, 'the ids are known');
  });
  after(() => resources.disposeAsync());

  const sample = (name: string): string => readFileSync(join(ROOT, 'manifests/samples', `${name}.yaml`), 'utf8');

  it('name the annotation key that the user wrote, also a deprecated key', async () => {
    await denies(
      apply(service('deprecated', { annotations: { [OLD_ID]: 'lb-bp1apiserver' } })),
      /metadata\.annotations\[service\.beta\.kubernetes\.io\/alicloud-loadbalancer-id\]: Forbidden: load balancer lb-bp1apiserver serves /,
    );
    await accepts(
      apply(
        service('both', { annotations: { [OLD_ID]: 'lb-bp1apiserver', [ID]: 'lb-bp1shared' } }),
        '--dry-run=server',
      ),
    );
  });

  it('never reveal the owner of a load balancer', async () => {
    await denies(
      apply(service('mine', { annotations: { [ID]: 'lb-bp1mine' } })),
      /was created for another Service of this cluster;/,
    );
  });

  it('ignore Services of other controllers', async () => {
    await accepts(
      apply(service('nlb', { annotations: { [ID]: 'lb-bp1apiserver', [CLASS]: 'nlb' } }), '--dry-run=server'),
    );
    await accepts(
      apply(
        service('classed', {
          annotations: { [ID]: 'lb-bp1apiserver' },
          spec: { loadBalancerClass: 'example.com/other' },
        }),
        '--dry-run=server',
      ),
    );
  });

  const finalized = (name: string) => {
    const patch = JSON.stringify({ metadata: { finalizers: ['example.com/hold', FINALIZER] } });
    return kubectl('', 'patch', `service/${name}`, '-n', 'demo', '--type=merge', '-p', patch, '--dry-run=server');
  };

  it('apply to a Service that is managed only because of its finalizer', async () => {
    await denies(finalized('network'), /Forbidden: load balancer lb-bp1apiserver serves the API server of a cluster;/);
  });

  it('allow changes and deletion of stored objects if the violation is not new', async () => {
    await accepts(kubectl('', 'label', 'service/stored', '-n', 'demo', 'team=web'));
    await accepts(kubectl('', 'annotate', 'service/stored', '-n', 'demo', 'note=one'));
    await denies(
      kubectl('', 'annotate', '--overwrite', 'service/stored', '-n', 'demo', `${ID}=lb-bp1othercluster`),
      /belongs to another cluster/,
    );
    await denies(
      kubectl('', 'patch', 'service/plain', '-n', 'demo', '--type=merge', '-p', '{"spec":{"type":"LoadBalancer"}}'),
      /serves the API server of a cluster/,
    );
    await accepts(finalized('stored'));
    await accepts(kubectl('', 'delete', 'service/stored', '-n', 'demo', '--wait=false'));
    const patch = '[{"op":"remove","path":"/metadata/finalizers"}]';
    await accepts(kubectl('', 'patch', 'service/stored', '-n', 'demo', '--type=json', '-p', patch));
  });

  it('protect webhook configurations, ConfigMaps and inventory from users without administer', async () => {
    const only = /Forbidden: only the controller and users with the verb administer on /;
    const configuration = 'validatingwebhookconfiguration/portcullis';
    await denies(kubectl('', 'annotate', configuration, 'a=b', ...as('tenant')), only);
    await denies(kubectl('', 'delete', configuration, ...as('tenant')), only);
    const map = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'portcullis-system' },
    });
    // Kustomize adds a suffix to generated names.
    for (const name of ['protected', 'api-server-ca', 'cloud-config', 'cloud-config-7h2g6k', 'rrsa'])
      await denies(apply(map(`portcullis-${name}`), '--dry-run=server', ...as('tenant')), only);
    await accepts(apply(map('mine'), '--dry-run=server', ...as('tenant')));
    await denies(
      kubectl('', 'delete', 'configmap', 'portcullis-protected', '-n', 'portcullis-system', ...as('tenant')),
      only,
    );
    const forged = {
      apiVersion: 'portcullis.io/v1alpha1',
      kind: 'ClassicLoadBalancer',
      metadata: { name: 'lb-forged' },
    };
    await denies(apply(forged, ...as('tenant')), only);
    const configurations = '/apis/admissionregistration.k8s.io/v1';
    for (const collection of [
      `${configurations}/validatingwebhookconfigurations`,
      `${configurations}/mutatingwebhookconfigurations?fieldSelector=metadata.name%3Dportcullis`,
      '/api/v1/namespaces/portcullis-system/configmaps',
    ]) {
      await denies(kubectl('', 'delete', '--raw', collection, ...as('tenant')), only);
    }
    const elsewhere = { ...CONFIG_MAP, metadata: { name: 'portcullis-protected', namespace: 'demo' } };
    await accepts(apply(elsewhere, ...as('tenant')));
    const emptied = ['delete', 'configmap', 'portcullis-protected', '-n', 'portcullis-system', '--dry-run=server'];
    await accepts(kubectl('', ...emptied, ...as('system:kube-controller-manager')));
    await accepts(kubectl('', 'annotate', configuration, 'a=b'));
    await accepts(kubectl('', 'create', 'configmap', 'other', '-n', 'portcullis-system', ...as('tenant')));
    await accepts(kubectl('', 'delete', 'configmap', 'other', '-n', 'portcullis-system', ...as('tenant')));
  });

  it('protect the ConfigMap of the protected ids from writes of every form', async () => {
    const here = ['configmap/portcullis-protected', '-n', 'portcullis-system', ...as('tenant')];
    const unprotect = '[{"op":"remove","path":"/data/lb-bp1apiserver"}]';
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '0b0e8f6e-6f5d-4c43-a7d4-6f3a1c5d2e10' };
    const collected = JSON.stringify({ metadata: { ownerReferences: [owner] } });
    const { name: generateName, ...metadata } = CONFIG_MAP.metadata;
    const writes: Readonly<Record<string, Promise<{ code: number; stderr: string }>>> = {
      'a JSON patch': kubectl('', 'patch', ...here, '--type=json', '-p', unprotect),
      'a merge patch': kubectl('', 'patch', ...here, '--type=merge', '-p', '{"data":null}'),
      'an owner that does not exist': kubectl('', 'patch', ...here, '--type=merge', '-p', collected),
      'a label': kubectl('', 'label', ...here, 'a=b'),
      'a replacement': kubectl({ ...CONFIG_MAP, data: {} }, 'replace', '-f', '-', ...as('tenant')),
      'a server-side apply': apply({ ...CONFIG_MAP, data: {} }, '--server-side', '--force-conflicts', ...as('tenant')),
      'a generated name': kubectl(
        { ...CONFIG_MAP, metadata: { ...metadata, generateName: `${generateName}-` } },
        ...['create', '-f', '-', '--dry-run=server', ...as('tenant')],
      ),
    };
    const passed: string[] = [];
    for (const [form, write] of Object.entries(writes))
      if (!(await write).stderr.includes('users with the verb administer')) passed.push(form);
    assert.deepEqual(passed, []);
  });

  it('allow changes by users with the permission', async () => {
    const right = ['--verb=administer', '--resource=loadbalancerpolicies.portcullis.io'];
    await cluster.plane.kubectl('create', 'clusterrole', 'administers', ...right);
    const whom = ['--clusterrole=administers', '--user=tenant'];
    await cluster.plane.kubectl('create', 'clusterrolebinding', 'administers', ...whom);
    await answered(async () => {
      const { code } = await kubectl(
        '',
        'annotate',
        '--overwrite',
        'mutatingwebhookconfiguration/portcullis',
        'a=c',
        ...as('tenant'),
      );
      return code === 0 || undefined;
    }, 'the permission is in effect');
  });

  it('allow cert-manager to write the CA certificate with the shipped role', async () => {
    const [namespace, name] = ['cert-manager', 'cert-manager-cainjector'];
    const user = `system:serviceaccount:${namespace}:${name}`;
    const configuration = 'mutatingwebhookconfiguration/portcullis';
    const write = () => kubectl('', 'annotate', '--overwrite', configuration, 'a=d', ...as(user));
    const ownRights = ['--clusterrole=tenant', `--serviceaccount=${namespace}:${name}`];
    await cluster.plane.kubectl('create', 'clusterrolebinding', 'injector', ...ownRights);
    await answered(
      async () => (await write()).stderr.includes('users with the verb administer') || undefined,
      'the rights of cert-manager are in effect',
    );
    for (const file of ['injector-cluster-role', 'injector-cluster-role-binding']) {
      await cluster.plane.kubectl('apply', '-f', join(ROOT, 'manifests/certificate', `${file}.yaml`));
    }
    await answered(async () => (await write()).code === 0 || undefined, 'the shipped role is in effect');
    // The API server checks this permission internally, so its audit log does not contain the check.
    noteRequest(
      { user, verb: 'administer', group: 'portcullis.io', resource: 'loadbalancerpolicies' },
      `annotate ${configuration}`,
    );
  });

  it('allow cert-manager with another account by the documented patch', async () => {
    const user = 'system:serviceaccount:security:tls-cert-manager-cainjector';
    const configuration = 'validatingwebhookconfiguration/portcullis';
    const write = () => kubectl('', 'annotate', '--overwrite', configuration, 'a=e', ...as(user));
    const ownRights = ['--clusterrole=tenant', '--serviceaccount=security:tls-cert-manager-cainjector'];
    await cluster.plane.kubectl('create', 'clusterrolebinding', 'injector-elsewhere', ...ownRights);
    await answered(
      async () => (await write()).stderr.includes('users with the verb administer') || undefined,
      'the rights of cert-manager are in effect',
    );
    const page = readFileSync(join(ROOT, 'docs/tasks/install.md'), 'utf8');
    const [patches = ''] = /(?<=```yaml\n)patches:\n[^`]*portcullis-certificate-injector[^`]*/.exec(page) ?? [];
    using folder = temporaryFolder();
    const resources = [relative(realpathSync(folder.path), join(ROOT, 'manifests/certificate'))];
    writeFileSync(join(folder.path, 'kustomization.yaml'), stringify({ resources }) + patches);
    const rendered = await cluster.plane.kubectl('kustomize', folder.path);
    const binding = rendered.split('---\n').find((text) => text.includes('kind: ClusterRoleBinding')) ?? '';
    await accepts(apply(binding));
    await answered(async () => (await write()).code === 0 || undefined, 'the patched binding is in effect');
  });

  it('report their violations once, while the webhook reports all other violations', async () => {
    await cluster.publishInventory('lb-bp1apiserver', { owner: 'api-server' });
    await cluster.inventory();
    await using webhook = await startWebhook(cluster.flags);
    await webhook.ready();
    cluster.route(webhook.port);
    const both = service('both-faults', {
      annotations: { [ID]: 'lb-bp1apiserver', [`${ID.slice(0, -2)}spec`]: 'huge' },
    });
    const { stderr } = await apply(both);
    assert.equal(stderr.match(/lb-bp1apiserver/g)?.length, 1, stderr);
    const hygiene = (await apply(sample('faults'))).stderr;
    assert.ok((hygiene.match(/ \[[a-z-]+\]/g) ?? []).length > 3, hygiene);
    await denies(
      apply(service('own', { annotations: { [`${ID.slice(0, -2)}bandwidth`]: '9000' } })),
      /bandwidth\]: Invalid value: "9000": /,
    );
  });
});
