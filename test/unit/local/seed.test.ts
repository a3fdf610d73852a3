import assert from 'node:assert/strict';
import { parseCloudConfig } from '../../../src/base/cloud-config.ts';
import {
  CLOUD,
  cloudConfig,
  cloudSeed,
  LOAD_BALANCERS,
  MACHINES,
  newAccessKey,
  NEWCOMER,
  nodeObject,
} from '../../../src/local/seed.ts';
import { Seed } from '../../../src/local/simulator/seed-schema.ts';

const seed = Seed.parse(cloudSeed({ id: 'LTAIexample', secret: 'secret' }));

/** The samples and the demo refer to these cloud resources. */
describe('the cloud of the sandbox', () => {
  it('is valid for the simulator', () => {
    assert.deepEqual(
      seed.loadBalancers.map(({ id }) => id),
      Object.values(LOAD_BALANCERS),
    );
    assert.equal(seed.instances.length, 3);
  });

  it('has load balancers of the API server, another cluster, another resource group, and users', () => {
    const [apiServer, otherCluster, otherGroup, reusable, userManaged] = seed.loadBalancers;
    assert.deepEqual(apiServer?.tags, { 'ack.aliyun.com': CLOUD.clusterId });
    assert.notEqual(otherCluster?.tags['ack.aliyun.com'], CLOUD.clusterId);
    assert.ok(otherCluster?.tags['kubernetes.do.not.delete'] !== undefined);
    assert.notEqual(otherGroup?.resourceGroupId, reusable?.resourceGroupId);
    assert.deepEqual(reusable?.tags, {});
    assert.deepEqual(userManaged?.tags, {});
    assert.equal(userManaged.listeners.length, 1);
  });

  it('has an instance for every node', () => {
    const ids = seed.instances.map(({ id }) => `${CLOUD.regionId}.${id ?? ''}`);
    const nodes = MACHINES.map(nodeObject) as { spec: { providerID: string; taints?: unknown; podCIDR: string } }[];
    assert.deepEqual(
      nodes.map(({ spec }) => spec.providerID),
      ids,
    );
    assert.ok(nodes.every(({ spec }) => spec.taints === undefined));
    assert.equal(new Set(nodes.map(({ spec }) => spec.podCIDR)).size, 3);
  });

  it('lacks the instance that joins in the demo, but has its vSwitch', () => {
    assert.ok(!seed.instances.some(({ id }) => id === NEWCOMER.instanceId));
    assert.ok(CLOUD.vSwitches.some(({ id, zoneId }) => id === NEWCOMER.vSwitchId && zoneId === NEWCOMER.zoneId));
    assert.match(NEWCOMER.address, /^10\.0\.1\.\d+$/);
  });

  it('has a readable cloud-config without a key', () => {
    const { config, accessKey } = parseCloudConfig(cloudConfig(), 'cloud-config.conf');
    assert.equal(accessKey, undefined);
    assert.equal(config.clusterId, CLOUD.clusterId);
    assert.equal(config.vpcId, CLOUD.vpcId);
    assert.deepEqual(
      config.vSwitches.map(({ vSwitchId }) => vSwitchId),
      CLOUD.vSwitches.map(({ id }) => id),
    );
  });

  it('has a new key each time', () => assert.notDeepEqual(newAccessKey(), newAccessKey()));
});
