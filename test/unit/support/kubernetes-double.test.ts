import assert from 'node:assert/strict';
import { objectKey, SERVICES } from '../../../src/base/kubernetes-objects.ts';
import { KubernetesDouble } from '../../support/kubernetes-double.ts';
import { aService } from '../../support/service.ts';

const SERVED = { ...aService(), status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } } };

/** Tests in virtual time rely on an API server in memory, which must act like the real API server. */
describe('the API server in memory', () => {
  it('removes the address of a Service that changes its type, as the real API server does', () => {
    const kubernetes = new KubernetesDouble();
    kubernetes.put(SERVICES, SERVED);
    kubernetes.patch(SERVICES, objectKey('web', 'shop'), { spec: { type: 'ClusterIP' } });
    assert.deepEqual(kubernetes.get(SERVICES, objectKey('web', 'shop'))?.status, { loadBalancer: {} });
  });

  it('keeps the address of a Service that keeps its type', () => {
    const kubernetes = new KubernetesDouble();
    kubernetes.put(SERVICES, SERVED);
    kubernetes.patch(SERVICES, objectKey('web', 'shop'), { metadata: { annotations: { a: 'b' } } });
    assert.deepEqual(kubernetes.get(SERVICES, objectKey('web', 'shop'))?.status, SERVED.status);
  });
});
