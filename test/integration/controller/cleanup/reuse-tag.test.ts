import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../../support/cluster.ts';
import { annotated, apply, loadBalancers, patch, running, type Running } from '../../../support/running.ts';
import { aService, type ServiceSaid } from '../../../support/service.ts';
import { anotherService, remove } from '../../../support/service-changes.ts';

const SEED = {
  loadBalancers: [
    {
      ...{ id: 'lb-a', name: 'a', address: '47.1.1.1', tags: { cost: '7' } },
      serverGroups: [{ id: 'rsp-1', name: 'user-managed', backends: [] }],
    },
  ],
};
const REUSING = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });
const TAGGED = { cost: '7', 'kubernetes.reused.by.user': 'true' };
const UNTAGGED = { cost: '7' };
const tagsOf = (run: Running) => loadBalancers(run)[0]?.tags;

describe('the tag of reuse on a user-managed load balancer', () => {
  const THEIRS = 'k8s/30080/other/shop/c2';
  /** What another cluster creates, whose Services this one does not know. */
  const OTHERS: Readonly<Record<string, readonly [action: string, parameters: Readonly<Record<string, string>>]>> = {
    'a server group': ['CreateVServerGroup', { VServerGroupName: THEIRS }],
    'a listener': [
      'CreateLoadBalancerTCPListener',
      { ListenerPort: '22', Bandwidth: '-1', Description: THEIRS, VServerGroupId: 'rsp-1' },
    ],
    'a backend in a user-managed server group': [
      'AddVServerGroupBackendServers',
      {
        VServerGroupId: 'rsp-1',
        BackendServers: JSON.stringify([{ ServerId: 'i-3', Port: 80, Weight: 1, Type: 'ecs', Description: THEIRS }]),
      },
    ],
  };
  for (const [what, [action, parameters]] of Object.entries(OTHERS))
    it(`stays while another cluster has ${what}`, async () => {
      const run = await running({}, SEED);
      await apply(run, { annotations: annotated({ id: 'lb-a' }) });
      await run.cluster.ask(action, { LoadBalancerId: 'lb-a', ...parameters });
      await remove(run);
      assert.deepEqual([run.cluster.service(), tagsOf(run)], [undefined, TAGGED]);
      await run.process.stop();
    });

  it('stays while a Service is bound to the load balancer and no longer names it', async () => {
    const run = await running({}, SEED);
    const api = anotherService({ ports: [443], annotations: REUSING });
    await apply(run, { annotations: REUSING });
    run.cluster.kubernetes.put(SERVICES, api);
    await run.cluster.quiet();
    await patch(run, { metadata: { annotations: null } }, api);
    await remove(run);
    assert.deepEqual(tagsOf(run), TAGGED);
    await run.process.stop();
  });
});

describe('the tag of reuse of two Services', () => {
  interface Row {
    readonly web?: readonly number[];
    readonly api?: ServiceSaid;
    /** Milliseconds between the two deletions. */
    readonly between?: number;
    readonly isSlow?: true;
    /** The Services no longer name the load balancer when they are deleted. */
    readonly isUnnamed?: true;
  }
  const IN_GROUP: ServiceSaid = {
    ports: [{ ...aService().spec?.ports?.[0], port: 81, nodePort: 31_081 }],
    annotations: annotated({ id: 'lb-a', 'vgroup-port': 'rsp-1:81' }),
  };
  const MANY = [80, 81, 82, 83];
  const ROWS: Readonly<Record<string, Row>> = {
    'they are deleted one after the other': { between: 60_000 },
    'they are deleted at once': {},
    'they are deleted at once and the second one never got its port': { api: { ports: [80] } },
    'they are deleted at once and the first one has more to clean up': { web: [80, 443], api: IN_GROUP },
    'one is deleted during the slow cleanup of the other': { web: MANY, between: 50, isSlow: true },
    'one is deleted during the slow cleanup of the other and neither names it': {
      ...{ web: MANY, between: 50, isSlow: true, isUnnamed: true },
    },
  };
  for (const [what, { web = [80], api = {}, between = 0, isSlow, isUnnamed }] of Object.entries(ROWS))
    it(`is removed if ${what}`, async () => {
      const run = await running({}, SEED);
      const { cluster } = run;
      const services = [
        aService({ ports: web, annotations: REUSING }),
        anotherService({ ports: [443], annotations: REUSING, ...api }),
      ];
      for (const service of services) {
        cluster.kubernetes.put(SERVICES, service);
        await cluster.quiet();
      }
      assert.deepEqual(tagsOf(run), TAGGED);
      if (isSlow) cluster.simulator.faults([{ action: '*', effect: 'slow', ms: 200, count: 500 }]);
      for (const service of services) {
        if (isUnnamed) cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: null } });
        await remove(run, between, service);
      }
      await cluster.quiet(10 * 60_000);
      assert.deepEqual([cluster.service(), cluster.service('api'), tagsOf(run)], [undefined, undefined, UNTAGGED]);
      await run.process.stop();
    });
});
