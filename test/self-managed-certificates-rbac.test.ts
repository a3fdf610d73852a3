import assert from 'node:assert/strict';
import { AUTHORITY_SECRET, SERVING_SECRET } from '../src/controller/webhook-certificate/store.ts';
import { manifestsOf } from './support/manifests.ts';

const objects = manifestsOf('manifests/self-managed-certificates/*.yaml');
const rulesOf = (kind: string): unknown => objects.find((object) => object.kind === kind)?.['rules'];
const everywhere = manifestsOf('manifests/{webhook,certificate}/*.yaml');

/** The component lets the controller write webhook configurations, so its permissions must be minimal. */
describe('the permissions of the component self-managed-certificates', () => {
  it('allow creating Secrets in the namespace, and reading and changing two of them', () => {
    assert.deepEqual(rulesOf('Role'), [
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: [AUTHORITY_SECRET, SERVING_SECRET],
        verbs: ['get', 'patch'],
      },
    ]);
    const [role] = objects.filter(({ kind }) => kind === 'Role');
    assert.equal(role?.metadata.namespace, 'portcullis-system');
  });

  it('allow reading and changing the webhook configurations, and creating SelfSubjectReviews', () => {
    assert.deepEqual(rulesOf('ClusterRole'), [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        resourceNames: ['portcullis'],
        verbs: ['get', 'patch'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ]);
  });

  it('are granted only to the service account of the controller', () => {
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    assert.equal(bindings.length, 2);
    for (const binding of bindings) {
      assert.deepEqual(binding['subjects'], [
        { kind: 'ServiceAccount', name: 'portcullis-controller', namespace: 'portcullis-system' },
      ]);
    }
  });

  it('apply to the Secrets that cert-manager would write', () => {
    const secrets = everywhere
      .filter(({ kind }) => kind === 'Certificate')
      .map((object) => (object['spec'] as { readonly secretName: string }).secretName);
    assert.deepEqual(secrets.toSorted(), [AUTHORITY_SECRET, SERVING_SECRET].toSorted());
    const [deployment] = everywhere.filter(({ kind }) => kind === 'Deployment');
    assert.match(JSON.stringify(deployment), new RegExp(`"secretName":"${SERVING_SECRET}"`));
  });
});
