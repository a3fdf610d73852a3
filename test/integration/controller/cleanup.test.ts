import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../support/cluster.ts';
import { annotated, apply, patch, running, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 443, protocol: 'tcp' }] },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 443, protocol: 'tcp' }] },
  ],
};
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const NAMES_A = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });

/** Runs another controller in the place of the one that runs. */
async function restarted({ cluster, process }: Running): Promise<Running> {
  await process.stop();
  const next = cluster.start();
  await cluster.quiet(1_000);
  return { cluster, process: next };
}

/** The API server empties the status of a Service that gets another type. */
const asClusterIP = { spec: { type: 'ClusterIP' }, status: { loadBalancer: null } };
const named = (id: string | null) => ({ annotations: annotated({ id }), labels: { [ID_LABEL]: id } });

describe('the cleanup of a Service', () => {
  const forgeries: Readonly<Record<string, { readonly served?: object; readonly change: object }>> = {
    'its own load balancer, with another id in annotation and label': {
      change: { ...asClusterIP, metadata: named('lb-a') },
    },
    'its own load balancer, with another id that does not exist': {
      change: { ...asClusterIP, metadata: named('lb-nope') },
    },
    'its own load balancer, without labels': {
      change: { ...asClusterIP, metadata: { labels: null } },
    },
    'what it has on a user-managed load balancer, without the annotation id': {
      served: { annotations: NAMES_A },
      change: { ...asClusterIP, metadata: { annotations: annotated({ id: null }) } },
    },
  };
  for (const [what, { served = {}, change }] of Object.entries(forgeries)) {
    for (const isRestarted of [false, true]) {
      it(`removes ${what}${isRestarted ? ', by the next process too' : ''}`, async () => {
        const run = await running({}, SEED);
        const before = cloudPicture(run.cluster.simulator);
        await apply(run, served);
        if (isRestarted) await run.process.stop();
        await patch(run, change);
        const { cluster, process } = isRestarted ? await restarted(run) : run;
        await cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual(cloudPicture(cluster.simulator), before);
        assert.deepEqual(cluster.service()?.metadata.finalizers ?? [], []);
        await process.stop();
      });
    }
  }

  it('removes what it has on a user-managed load balancer if annotation and label name another', async () => {
    const run = await running({}, SEED);
    const before = cloudPicture(run.cluster.simulator);
    await apply(run, { annotations: NAMES_A });
    await patch(run, { ...asClusterIP, metadata: named('lb-b') });
    assert.deepEqual(cloudPicture(run.cluster.simulator), before);
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
    await run.process.stop();
  });
});
