import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { CLASS } from '../../../src/rules/engine/subject.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { answered } from '../../support/eventually.ts';
import { TENANT_RIGHTS } from '../../support/tenant-rights.ts';

const FOLDER = join(import.meta.dirname, '../../../manifests/admission-policy');
const THROUGH_STATUS =
  'Forbidden: only users with the verb administer on loadbalancerpolicies.portcullis.io change this field through the status subresource;';
const ID = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
/** The number of parallel requests. */
const LANES = 8;

const SERVICES: Readonly<Record<string, object>> = {
  unclaimed: {},
  plain: { spec: { type: 'ClusterIP' } },
  annotated: { annotations: { [ID]: 'lb-bp1apiserver', [CLASS]: 'nlb' } },
  claimed: { spec: { loadBalancerClass: 'example.com/other' } },
};

const service = (
  name: string,
  { annotations = {}, spec = {} }: { readonly annotations?: object; readonly spec?: object },
) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'demo', annotations },
  spec: { type: 'LoadBalancer', ports: [{ name: 'http', port: 80 }], ...spec },
});

const annotated = (key: string, value: string | null) => ({ metadata: { annotations: { [key]: value } } });
const ADDRESS = { status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } } };

/** The address in the status proves which load balancer serves a Service, so tenants must not write it. */
describe('a write of the status of a Service', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let plane: TestControlPlane;
  let agent: Agent;

  /** Returns the API server's denial of a status patch, empty if it is accepted. Sent as the administrator unless `user` is set. */
  async function denial(name: string, patch: object, user?: string): Promise<string> {
    const { statusCode, body } = await request(
      `${plane.server}/api/v1/namespaces/demo/services/${name}/status?dryRun=All`,
      {
        method: 'PATCH',
        dispatcher: agent,
        headers: {
          'content-type': 'application/merge-patch+json',
          ...(user === undefined ? {} : { 'impersonate-user': user }),
        },
        body: JSON.stringify(patch),
      },
    );
    const text = await body.text();
    return statusCode < 300 ? '' : text;
  }

  before(async () => {
    plane = resources.use(await borrowControlPlane());
    const { certificateAuthority: ca, administrator } = plane;
    agent = new Agent({ connections: LANES, connect: { ca, cert: administrator.certificate, key: administrator.key } });
    resources.defer(() => agent.close());
    await plane.kubectl('create', 'namespace', 'demo');
    for (const [name, input] of Object.entries(SERVICES)) {
      await plane.client.create('/api/v1/namespaces/demo/services', service(name, input));
    }
    const rights = TENANT_RIGHTS.map((object) => JSON.stringify(object)).join('\n');
    assert.equal((await plane.kubectlWith(rights, 'apply', '-f', '-')).code, 0);
    const files = ['ingress-status', 'ingress-status-binding'].flatMap((file) => ['-f', join(FOLDER, `${file}.yaml`)]);
    await plane.kubectl('apply', '--server-side', ...files);
    await answered(
      async () => (await denial('unclaimed', ADDRESS, 'tenant')).includes('portcullis-ingress-status') || undefined,
      'the policy is in force',
    );
  });
  after(() => resources.disposeAsync());

  it('sets an address only if a controller or an administrator sends it', async () => {
    assert.match(
      await denial('unclaimed', ADDRESS, 'tenant'),
      /status\.loadBalancer\.ingress: Forbidden: only controllers and users with the verb administer on /,
    );
    assert.equal(await denial('claimed', ADDRESS, 'tenant'), '');
    assert.equal(await denial('unclaimed', ADDRESS, 'system:kube-controller-manager'), '');
    assert.equal(await denial('unclaimed', ADDRESS), '');
    assert.equal(await denial('unclaimed', { status: { conditions: [] } }, 'tenant'), '');
  });

  it('changes no label, annotation or finalizer that selects the load balancer', async () => {
    const guarded: readonly (readonly [name: string, field: string, patch: object])[] = [
      ['annotated', `metadata.annotations[${ID}]`, annotated(ID, null)],
      ['annotated', `metadata.annotations[${CLASS}]`, annotated(CLASS, null)],
      [
        'unclaimed',
        'metadata.labels[service.k8s.alibaba/loadbalancer-id]',
        { metadata: { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-x' } } },
      ],
      ['unclaimed', `metadata.finalizers[${FINALIZER}]`, { metadata: { finalizers: [FINALIZER] } }],
    ];
    for (const [name, field, patch] of guarded) {
      const message = await denial(name, patch, 'tenant');
      assert.ok(message.includes(`${field}: ${THROUGH_STATUS}`), message);
      assert.equal(await denial(name, patch), '');
    }
    assert.equal(await denial('unclaimed', annotated('example.com/team', 'shop'), 'tenant'), '');
    assert.equal(await denial('unclaimed', { metadata: { labels: { team: 'shop' } } }, 'tenant'), '');
    assert.equal(await denial('plain', annotated(ID, 'lb-bp1mine'), 'tenant'), '');
  });

  it('adds no annotation of the catalogue, in any of its forms', async () => {
    const keys = ENTRIES.flatMap(([, { key, deprecated }]) => [key, ...deprecated]);
    const left = keys.values();
    const passed: string[] = [];
    const lane = async (): Promise<void> => {
      for (const key of left) {
        const message = await denial('unclaimed', annotated(key, 'x'), 'tenant');
        if (!message.includes(`metadata.annotations[${key}]: ${THROUGH_STATUS}`)) passed.push(`${key}: ${message}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    assert.deepEqual(passed, []);
  });
});
