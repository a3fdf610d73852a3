import assert from 'node:assert/strict';
import { AN_AUDIT_MS } from '../../support/cluster.ts';
import {
  annotation,
  apply,
  events,
  loadBalancers,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';

const LISTENER = 'tcp listener 80 was given another name than k8s/80/web/shop/c1, by which it is known';
const GROUP = /server group rsp-\w+ was given another name than k8s\/30080\/web\/shop\/c1, by which it is known/;
const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }] };

const groupIds = async ({ cluster }: Running, id: string): Promise<readonly string[]> => {
  const body = (await cluster.ask('DescribeVServerGroups', { LoadBalancerId: id })) as {
    readonly VServerGroups: { readonly VServerGroup: readonly { readonly VServerGroupId: string }[] };
  };
  return body.VServerGroups.VServerGroup.map(({ VServerGroupId }) => VServerGroupId);
};

/** A Service that is served, and the load balancer whose things people then call otherwise. */
async function served(annotations: Readonly<Record<string, string>> = {}) {
  const run = await running({}, SHARED);
  await apply(run, { annotations });
  const id =
    loadBalancers(run).find(({ listeners, serverGroups }) => listeners.length + serverGroups.length > 0)?.id ?? '';
  const callListener = (name: string): Promise<unknown> =>
    run.cluster.ask('SetLoadBalancerTCPListenerAttribute', { LoadBalancerId: id, ListenerPort: 80, Description: name });
  const callGroup = async (name: string): Promise<void> => {
    const [group = ''] = await groupIds(run, id);
    await run.cluster.ask('SetVServerGroupAttribute', { VServerGroupId: group, VServerGroupName: name });
  };
  const since = run.cluster.kubernetes.told.length;
  /** What the next look at the cloud has people told. */
  const told = async (): Promise<readonly string[]> => {
    await run.cluster.quiet(AN_AUDIT_MS);
    return run.cluster.kubernetes.told.slice(since).map(({ reason, message }) => `${reason}: ${message}`);
  };
  return { run, callListener, callGroup, told };
}

describe('a name that people have changed', () => {
  it('of a listener is told, and put back', async () => {
    const { run, callListener, told } = await served();
    await callListener('mine');
    assert.match(
      (await told()).join('\n'),
      new RegExp(`^EnsuredLoadBalancer: Ensured load balancer lb-\\w+; ${LISTENER}$`),
    );
    const { listeners } = loadBalancers(run).find(({ id }) => id !== 'lb-shared') ?? { listeners: [] };
    assert.equal(listeners[0]?.attributes['Description'], 'k8s/80/web/shop/c1');
    await run.process.stop();
  });

  it('of a server group is told, and another group serves', async () => {
    const { run, callGroup, told } = await served();
    await callGroup('mine');
    assert.match((await told()).join('\n'), GROUP);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('of a server group on a load balancer of people is told', async () => {
    const { run, callGroup, told } = await served({ [annotation('id')]: 'lb-shared' });
    await callGroup('mine');
    assert.match((await told()).join('\n'), GROUP);
    await run.process.stop();
  });

  it('of a listener on a load balancer of people is told until it is given back', async () => {
    const { run, callListener, told } = await served({
      [annotation('id')]: 'lb-shared',
      [annotation('force-override-listeners')]: 'true',
    });
    await callListener('mine');
    assert.match(
      (await told()).join('\n'),
      new RegExp(`^SyncLoadBalancerFailed: .* was not made by this controller; .*; ${LISTENER}$`, 'm'),
    );
    assert.deepEqual(standing(run), ['False', 'PortOwner']);
    await callListener('k8s/80/web/shop/c1');
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });
});

describe('a name that is another for a reason', () => {
  const none = (lines: readonly string[]): void => assert.doesNotMatch(lines.join('\n'), /another name/);

  it('is not told of a listener that people have made, and whose port the Service then asks for', async () => {
    const { run } = await served();
    const { id = '' } = loadBalancers(run).find((each) => each.id !== 'lb-shared') ?? {};
    const listener = { LoadBalancerId: id, ListenerPort: 443, Bandwidth: -1, BackendServerPort: 443 };
    await run.cluster.ask('CreateLoadBalancerTCPListener', listener);
    await apply(run, { ports: [80, 443] });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.match(events(run, 'SyncLoadBalancerFailed').join('\n'), /port 443\/tcp of the load balancer is held/);
    none(events(run, 'SyncLoadBalancerFailed'));
    await run.process.stop();
  });

  it('is not told of a group of people that the Service used until now', async () => {
    const run = await running({}, SHARED);
    const { VServerGroupId } = (await run.cluster.ask('CreateVServerGroup', {
      LoadBalancerId: 'lb-shared',
      VServerGroupName: 'hers',
    })) as { readonly VServerGroupId: string };
    await apply(run, {
      annotations: { [annotation('id')]: 'lb-shared', [annotation('vgroup-port')]: `${VServerGroupId}:80` },
    });
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await patch(run, { metadata: { annotations: { [annotation('vgroup-port')]: null } } });
    await run.cluster.quiet(AN_AUDIT_MS);
    none(events(run, 'EnsuredLoadBalancer'));
    await run.process.stop();
  });
});
