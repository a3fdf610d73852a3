import assert from 'node:assert/strict';
import { Cache } from '../../../src/kubernetes/store.ts';
import { rootLogger } from '../../../src/log.ts';
import type { Service } from '../../../src/objects.ts';
import { servicesIn } from '../../../src/preview/services.ts';
import { aService } from '../../support/service.ts';

const manifest = (spec: string, annotations = ''): string => `
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
${annotations}
spec:
${spec}
`;
const LOAD_BALANCER = '  type: LoadBalancer\n  ports:\n    - {name: p80, port: 80, targetPort: 80}\n    - {port: 90}';

function stored(...services: readonly Service[]): Cache<Service> {
  const cache = new Cache<Service>(rootLogger('silent'));
  for (const service of services) cache.put(service);
  return cache;
}

const read = (text: string, cache = stored()): readonly Service[] =>
  servicesIn([{ name: 'a.yaml', text }], 'shop', cache);

describe('the Services of a file', () => {
  it('that are not stored get the ports that only the API server could give, and no UID', () => {
    const [service] = read(manifest(LOAD_BALANCER));
    assert.deepEqual(
      service?.spec?.ports?.map(({ nodePort }) => nodePort),
      [30_000, 30_001],
    );
    assert.equal(service.metadata.uid, '00000000-0000-0000-0000-000000000000');
  });

  it('that are stored keep what the cluster has given them: UID, node ports, marks and status', () => {
    const before = {
      ...aService({ labels: { 'portcullis.io/digest': 'd' } }),
      status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } },
    };
    const [service] = read(manifest(LOAD_BALANCER), stored(before));
    assert.equal(service?.metadata.uid, before.metadata.uid);
    assert.equal(service.spec?.ports?.[0]?.nodePort, 30_080);
    assert.equal(service.metadata.labels?.['portcullis.io/digest'], 'd');
    assert.deepEqual(service.status, before.status);
  });

  it('lose an annotation that the manifest before had and this one no more', () => {
    const key = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler';
    const last = JSON.stringify({ metadata: { annotations: { [key]: 'wrr' } } });
    const annotations = { [key]: 'wrr', 'kubectl.kubernetes.io/last-applied-configuration': last };
    const [service] = read(manifest(LOAD_BALANCER), stored(aService({ annotations })));
    assert.equal(service?.metadata.annotations?.[key], undefined);
  });

  it('are read under current keys', () => {
    const old = '  annotations: {service.beta.kubernetes.io/alicloud-loadbalancer-scheduler: wrr}';
    const [service] = read(manifest(LOAD_BALANCER, old));
    assert.deepEqual(Object.keys(service?.metadata.annotations ?? {}), [
      'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler',
    ]);
  });

  it('that want no load balancer are passed over, unless they have one', () => {
    const text = manifest('  type: ClusterIP');
    assert.deepEqual(read(text), []);
    const had = { ...aService(), metadata: { ...aService().metadata, finalizers: ['service.k8s.alibaba/resources'] } };
    assert.equal(read(text, stored(had)).length, 1);
  });

  it('that cannot be read as such are told with their place', () => {
    assert.throws(() => read(manifest('  type: LoadBalancer\n  ports: none')), {
      message: /^a\.yaml:\d+:\d+: spec\.ports/,
    });
    assert.throws(() => read('a: [b'), { message: /^a\.yaml:\d+:\d+: / });
  });
});
