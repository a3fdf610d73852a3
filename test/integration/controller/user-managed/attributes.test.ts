import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { listenByHand, untagByHand } from '../../../support/user-changes.ts';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { anException } from '../../../support/policy.ts';
import { ruled } from '../../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService, type ServiceInput } from '../../../support/service.ts';

const SHARED = {
  ...{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', spec: 'slb.s2.small', instanceChargeType: 'PayBySpec' },
  ...{ internetChargeType: 'paybybandwidth', bandwidth: 500, deleteProtection: 'on', tags: { cost: '7' } },
  modificationProtection: 'ConsoleProtection',
};
const SEED = { loadBalancers: [SHARED] };
const PAY: ServiceInput = {
  ...{ name: 'pay', namespace: 'payments', uid: '10000000-0000-4000-8000-000000000001', ports: [443] },
  annotations: annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }),
};
const OPENED: LoadBalancerPolicySpec = {
  rules: [
    { rule: 'reuse-attribute', mode: 'warn' },
    { rule: 'reuse-tags', mode: 'warn' },
  ],
};
const OWN = { id: 'lb-shared', 'force-override-listeners': 'true' };
/** Annotations that change an attribute of the load balancer, by their effect. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'changes the name': { name: 'mine' },
  'changes the delete protection': { 'delete-protection': 'off' },
  'changes the modification protection': { 'modification-protection': 'NonProtection' },
  'changes the bandwidth': { 'charge-type': 'paybybandwidth', bandwidth: '1' },
  'changes the specification': { 'instance-charge-type': 'PayBySpec', spec: 'slb.s1.small' },
  'changes the internet charge type': { 'charge-type': 'paybytraffic' },
  'adds a tag': { 'additional-resource-tags': 'team=web' },
};
/** Changes that no Service may make on a user-managed load balancer. */
const NEVER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'changes to PayByCLCU': { 'instance-charge-type': 'PayByCLCU' },
  'changes the value of a tag': { 'additional-resource-tags': 'cost=8' },
};
const attributesOf = (run: Running): object =>
  Object.fromEntries(
    Object.entries(loadBalancers(run)[0] ?? {}).filter(([part]) => !['listeners', 'serverGroups'].includes(part)),
  );
const requesting = (attributes: Readonly<Record<string, string>>) => ({
  annotations: annotated({ ...OWN, ...attributes }),
});

/** Services of several namespaces can share a user-managed load balancer. One tenant must not change it for the others. */
describe('a user-managed load balancer that a Service of another namespace uses', () => {
  for (const [what, attributes] of Object.entries({ ...ATTRIBUTES, ...NEVER })) {
    it(`keeps its attributes and serves a Service that ${what}`, async () => {
      const run = await running({}, SEED);
      await apply(run, PAY);
      const before = attributesOf(run);
      await apply(run, requesting(attributes));
      assert.deepEqual(attributesOf(run), before);
      assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
      assert.deepEqual(statusAndReason(run), ['False', 'UserManaged']);
      assert.match(messageOf(run), /lb-shared.*blocked: /);
      assert.doesNotMatch(messageOf(run) + events(run, 'SyncLoadBalancerFailed').join(), /payments|pay\b/);
      await run.process.stop();
    });
  }

  it('is not changed if two Services of different namespaces are created together', async () => {
    const run = await running({}, SEED);
    const before = attributesOf(run);
    run.cluster.kubernetes.put(SERVICES, aService({ ...PAY, annotations: annotated({ ...OWN, name: 'a' }) }));
    run.cluster.kubernetes.put(SERVICES, aService(requesting({ name: 'b' })));
    await run.cluster.quiet();
    assert.deepEqual({ ...attributesOf(run), tags: SHARED.tags }, before);
    await run.process.stop();
  });

  it('is changed after the other Service is deleted', async () => {
    const run = await running({}, SEED);
    await apply(run, PAY);
    await apply(run, requesting({ name: 'mine' }));
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService(PAY)));
    await run.cluster.quiet();
    assert.deepEqual([loadBalancers(run)[0]?.name, statusAndReason(run)[0]], ['mine', 'True']);
    await run.process.stop();
  });

  it('keeps earlier changes when the other Service is created, and the first one stays ready', async () => {
    const run = await running({}, SEED);
    await apply(run, requesting({ name: 'mine' }));
    await apply(run, PAY);
    const since = callCount(run);
    await run.cluster.quiet(3 * 60 * 60_000);
    assert.deepEqual([changes(run, since), statusAndReason(run)[0]], [[], 'True']);
    await patch(run, { metadata: { annotations: annotated({ name: 'other' }) } });
    assert.deepEqual([loadBalancers(run)[0]?.name, statusAndReason(run)], ['mine', ['False', 'UserManaged']]);
    await run.process.stop();
  });

  it('keeps an attribute whose annotation is removed', async () => {
    const run = await running({}, SEED);
    await apply(run, requesting({ 'delete-protection': 'off', 'additional-resource-tags': 'team=web' }));
    await apply(run, PAY);
    const before = attributesOf(run);
    await patch(run, { metadata: { annotations: { ...annotated({ 'delete-protection': null }) } } });
    await patch(run, { metadata: { annotations: { ...annotated({ 'additional-resource-tags': null }) } } });
    assert.deepEqual([attributesOf(run), statusAndReason(run)[0]], [before, 'True']);
    await run.process.stop();
  });

  for (const [how, description] of Object.entries({
    'that an earlier Service created': 'k8s/22/old/payments/c1',
    'of another cluster': 'k8s/22/web/shop/c2',
  })) {
    for (const override of ['true', 'false']) {
      it(`is recognized by a listener ${how} (force-override-listeners=${override})`, async () => {
        const run = await running({}, SEED);
        await apply(run, { annotations: annotated({ id: 'lb-shared', 'force-override-listeners': override }) });
        await listenByHand(run, 'lb-shared', 22, { BackendServerPort: 22, Description: description });
        const before = attributesOf(run);
        await patch(run, { metadata: { annotations: annotated({ name: 'mine' }) } });
        assert.deepEqual([attributesOf(run), statusAndReason(run)], [before, ['False', 'UserManaged']]);
        await run.process.stop();
      });
    }
  }

  it('is recognized by a server group or a backend of another namespace', async () => {
    for (const inHers of [false, true]) {
      const groups = inHers ? [{ id: 'rsp-hers', name: 'hers' }] : [];
      const run = await running({}, { loadBalancers: [{ ...SHARED, serverGroups: groups }] });
      await apply(run, { annotations: annotated({ id: 'lb-shared' }) });
      const Description = 'k8s/30022/old/payments/c1';
      if (inHers) {
        const backend = { ServerId: 'i-3', Port: 80, Weight: 1, Type: 'ecs', Description };
        const BackendServers = JSON.stringify([backend]);
        await run.cluster.ask('AddVServerGroupBackendServers', { VServerGroupId: 'rsp-hers', BackendServers });
      } else
        await run.cluster.ask('CreateVServerGroup', { LoadBalancerId: 'lb-shared', VServerGroupName: Description });
      await patch(run, { metadata: { annotations: annotated({ name: 'mine' }) } });
      assert.deepEqual([loadBalancers(run)[0]?.name, statusAndReason(run)], ['shared', ['False', 'UserManaged']]);
      await run.process.stop();
    }
  });

  it('is changed if a policy allows it, except for irreversible changes and existing tags', async () => {
    const { run, enforce, lift } = await ruled(undefined, SEED);
    await apply(run, PAY);
    await apply(run, requesting({ name: 'mine', 'additional-resource-tags': 'cost=8,team=web' }));
    await enforce(OPENED);
    const [changed] = loadBalancers(run);
    assert.deepEqual(changed?.tags, { cost: '7', team: 'web', 'kubernetes.reused.by.user': 'true' });
    assert.equal(changed.name, 'mine');
    assert.deepEqual(statusAndReason(run), ['False', 'UserManaged']);
    await patch(run, { metadata: { annotations: annotated({ 'additional-resource-tags': null }) } });
    assert.equal(statusAndReason(run)[0], 'True');
    await lift();
    await patch(run, { metadata: { annotations: annotated({ name: 'other' }) } });
    assert.deepEqual([loadBalancers(run)[0]?.name, statusAndReason(run)], ['mine', ['False', 'UserManaged']]);
    await run.process.stop();
  });

  it('is changed if an exception allows it for one Service', async () => {
    const { run, except } = await ruled(undefined, SEED);
    await apply(run, PAY);
    await apply(run, requesting({ name: 'mine' }));
    const object = { namespace: 'shop', name: 'web' };
    except(anException('e', { rule: 'reuse-attribute', object, expires: '2030-01-01T00:00:00Z' }));
    await run.cluster.quiet();
    assert.deepEqual([loadBalancers(run)[0]?.name, statusAndReason(run)[0]], ['mine', 'True']);
    await run.process.stop();
  });
});

describe('a user-managed load balancer that Services of one namespace use', () => {
  for (const [what, attributes] of Object.entries(ATTRIBUTES)) {
    it(`is changed if a Service ${what}`, async () => {
      const run = await running({}, SEED);
      await apply(run, { ...PAY, namespace: 'shop' });
      const before = attributesOf(run);
      await apply(run, requesting(attributes));
      assert.notDeepEqual(attributesOf(run), before);
      assert.equal(statusAndReason(run)[0], 'True');
      await run.process.stop();
    });
  }

  for (const [what, attributes] of Object.entries(NEVER)) {
    it(`is not changed by a Service that ${what}, which is served`, async () => {
      const run = await running({}, SEED);
      await apply(run, { ...PAY, namespace: 'shop' });
      const before = attributesOf(run);
      await apply(run, requesting(attributes));
      assert.deepEqual([attributesOf(run), statusAndReason(run)], [before, ['False', 'UserManaged']]);
      assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
      await run.process.stop();
    });
  }

  it('is not changed by annotations if id names another or none', async () => {
    const run = await running({}, SEED);
    await apply(run, requesting({}));
    const before = attributesOf(run);
    const own = { name: 'own', 'delete-protection': 'off', 'additional-resource-tags': 'team=web' };
    for (const attributes of [{ id: null }, { id: 'lb-other' }, { id: null, 'address-type': 'intranet' }]) {
      await patch(run, { metadata: { annotations: annotated({ ...own, ...attributes }) } });
      assert.deepEqual(
        [attributesOf(run), statusAndReason(run)],
        [before, ['False', 'LoadBalancerChangeNotSupported']],
      );
    }
    await patch(run, { spec: { ports: [{ port: 8080, protocol: 'TCP', nodePort: 30_808 }] } });
    assert.deepEqual(
      loadBalancers(run)[0]?.listeners.map(({ port }) => port),
      [8080],
    );
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-shared', 'address-type': null }) } });
    assert.deepEqual([loadBalancers(run)[0]?.name, statusAndReason(run)[0]], ['own', 'True']);
    await run.process.stop();
  });

  it('gets a tag after its owner has removed another value of the tag', async () => {
    const run = await running({}, SEED);
    await apply(run, requesting({ 'additional-resource-tags': 'cost=8' }));
    await untagByHand(run, 'lb-shared', 'cost');
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([loadBalancers(run)[0]?.tags['cost'], statusAndReason(run)[0]], ['8', 'True']);
    await run.process.stop();
  });

  it('makes a Service ready that requests its existing attributes', async () => {
    const run = await running({}, { loadBalancers: [{ ...SHARED, instanceChargeType: 'PayByCLCU' }] });
    await apply(run, PAY);
    const picture = cloudPicture(run.cluster.simulator);
    await apply(run, {
      annotations: annotated({
        ...{ id: 'lb-shared', name: 'shared', 'delete-protection': 'on' },
        ...{ 'instance-charge-type': 'PayByCLCU', 'additional-resource-tags': 'cost=7' },
      }),
    });
    assert.equal(statusAndReason(run)[0], 'True');
    assert.notDeepEqual(cloudPicture(run.cluster.simulator), picture);
    await run.process.stop();
  });
});
