import assert from 'node:assert/strict';
import { serviceHash } from '../../../../src/controller/service/state/go-hash.ts';
import { CLOUD } from '../../../../src/local/seed.ts';
import { Seed } from '../../../../src/local/simulator/seed-schema.ts';
import { existingCloudSeed, existingServiceFields, HASH } from '../../../../src/local/demo/taken-over-service.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { manifestsOf } from '../../../support/manifests.ts';

const [sample] = manifestsOf('manifests/samples/taken-over.yaml') as unknown as Service[];

/** Returns the Service as the API server stores it. */
const stored = (service: Service): Service => ({
  ...service,
  spec: {
    ...service.spec,
    externalTrafficPolicy: 'Cluster',
    ports: (service.spec?.ports ?? []).map((port) => ({ ...port, protocol: 'TCP' })),
  },
});

/** The demo shows a migration, so its sample must look like a Service of the Alibaba Cloud Controller Manager. */
describe('the seed of the demo for a takeover', () => {
  it('has the hash that the existing controller computes for the sample', () => {
    assert.ok(sample);
    assert.equal(sample.metadata.annotations, undefined);
    assert.equal(serviceHash(stored(sample)), HASH);
    assert.equal(existingServiceFields.metadata.labels['service.beta.kubernetes.io/hash'], HASH);
  });

  it('is valid for the simulator, with the names and tags of the existing controller', () => {
    const uid = '5e4dbfc9-c2ae-4642-b033-5607860aef6a';
    const { loadBalancers } = Seed.parse(existingCloudSeed({ name: 'taken-over', uid, port: 80, nodePort: 30_080 }));
    const [balancer] = loadBalancers;
    assert.equal(balancer?.name, 'a5e4dbfc9c2ae4642b0335607860aef6');
    assert.deepEqual(balancer.tags, {
      'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6',
      'ack.aliyun.com': CLOUD.clusterId,
    });
    const [listener, group] = [balancer.listeners[0], balancer.serverGroups[0]];
    assert.equal(listener?.attributes['Description'], `k8s/80/taken-over/demo/${CLOUD.clusterId}`);
    assert.equal(group?.name, `k8s/30080/taken-over/demo/${CLOUD.clusterId}`);
    assert.equal(listener.attributes['VServerGroupId'], group.id);
    assert.ok(group.backends.every(({ description }) => description === group.name));
    const [ingress] = existingServiceFields.status.loadBalancer.ingress;
    assert.deepEqual(
      [balancer.address, balancer.id],
      [ingress.ip, existingServiceFields.metadata.labels['service.k8s.alibaba/loadbalancer-id']],
    );
  });
});
