import assert from 'node:assert/strict';
import { AUTHORITY_SECRET, SERVING_SECRET } from '../src/controller/certificate/store.ts';
import { manifestsOf } from './support/manifests.ts';

const objects = manifestsOf('manifests/self-managed-certificates/*.yaml');
const rulesOf = (kind: string): unknown => objects.find((object) => object.kind === kind)?.['rules'];
const everywhere = manifestsOf('manifests/{webhook,certificate}/*.yaml');

describe('what the component self-managed-certificates lets the controller do', () => {
  it('is to make Secrets of its namespace, and to read and change two of them', () => {
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

  it('is to read and change the webhook configurations of ours, and to ask the API server for the time', () => {
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

  it('is granted to the account of the controller alone', () => {
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    assert.equal(bindings.length, 2);
    for (const binding of bindings) {
      assert.deepEqual(binding['subjects'], [
        { kind: 'ServiceAccount', name: 'portcullis-controller', namespace: 'portcullis-system' },
      ]);
    }
  });

  it('concerns the Secrets that cert-manager would write, so that either goes on with what the other has made', () => {
    const secrets = everywhere
      .filter(({ kind }) => kind === 'Certificate')
      .map((object) => (object['spec'] as { readonly secretName: string }).secretName);
    assert.deepEqual(secrets.toSorted(), [AUTHORITY_SECRET, SERVING_SECRET].toSorted());
    const [deployment] = everywhere.filter(({ kind }) => kind === 'Deployment');
    assert.match(JSON.stringify(deployment), new RegExp(`"secretName":"${SERVING_SECRET}"`));
  });
});
