import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { bindingsOf, SEED, start } from '../../support/bindings.ts';
import { untagByHand } from '../../support/user-changes.ts';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  loadBalancers,
  messageOf,
  callCount,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const OWNER_TAG = 'kubernetes.do.not.delete';
const OTHER_ADDRESS = { loadBalancer: { ingress: [{ ip: '47.1.1.2' }] } };
const MISSING = ['False', 'OwnerTagMissing'];
const NOT_FOUND = ['False', 'LoadBalancerNotFound'];
const INVENTORIES = { 'with the inventory': ['service', 'inventory'], 'without the inventory': ['service'] } as const;

/** Removes the Service, and returns the ids of the load balancers that are left. */
async function leftAfter(run: Running): Promise<readonly string[]> {
  run.cluster.kubernetes.delete(SERVICES, KEY);
  await run.cluster.quiet(10 * 60_000);
  assert.equal(run.cluster.service(), undefined);
  return loadBalancers(run).map(({ id }) => id);
}

/** Tenants can write the status of a Service where the safety policies are not installed. The address alone must prove no ownership. */
describe('the address of a user-managed load balancer in the status of a Service', () => {
  for (const [how, controllers] of Object.entries(INVENTORIES))
    for (const named of [false, true])
      it(`does not move a Service whose load balancer lost its owner tag, ${how}${named ? ', with its id in the annotation' : ''}`, async () => {
        const run = await running({ controllers }, SEED);
        await apply(run, { annotations: annotated({ name: 'shop' }) });
        const [recorded] = bindingsOf(run).map(({ spec }) => spec.loadBalancer?.id ?? '');
        await untagByHand(run, recorded ?? '', OWNER_TAG);
        await run.process.stop();
        const metadata = named ? { metadata: { annotations: annotated({ id: 'lb-other' }) } } : {};
        run.cluster.kubernetes.patch(SERVICES, KEY, { ...metadata, status: OTHER_ADDRESS });
        const [picture, since] = [cloudPicture(run.cluster.simulator), callCount(run)];
        const next = start(run);
        await run.cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual([changes(next, since), cloudPicture(run.cluster.simulator)], [[], picture]);
        assert.deepEqual(
          bindingsOf(run).map(({ spec }) => spec.loadBalancer?.id),
          [recorded],
        );
        assert.equal(statusAndReason(run)[0], 'False');
        if (!named) assert.deepEqual(statusAndReason(run), MISSING);
        assert.deepEqual(await leftAfter(next), ['lb-shared', 'lb-other', recorded]);
        await next.process.stop();
      });

  for (const [how, controllers] of Object.entries(INVENTORIES)) {
    it(`does not bind a new Service that does not name the load balancer, ${how}`, async () => {
      const run = await running({ controllers }, SEED);
      const picture = cloudPicture(run.cluster.simulator);
      run.cluster.kubernetes.put(SERVICES, { ...aService(), status: OTHER_ADDRESS });
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(cloudPicture(run.cluster.simulator), picture);
      assert.deepEqual(statusAndReason(run), NOT_FOUND);
      assert.match(messageOf(run), /: the load balancer was deleted, or does not belong to this Service; /);
      assert.deepEqual(await leftAfter(run), ['lb-shared', 'lb-other']);
      assert.deepEqual(cloudPicture(run.cluster.simulator), picture);
      await run.process.stop();
    });

    it(`binds a Service without the annotation id again if the load balancer has its listeners, ${how}`, async () => {
      const run = await running({ controllers }, SEED);
      await apply(run, { annotations: annotated({ id: 'lb-other', 'force-override-listeners': 'true' }) });
      await run.process.stop();
      deleteBinding(run);
      run.cluster.kubernetes.patch(SERVICES, KEY, {
        metadata: { annotations: annotated({ id: null }), labels: null },
      });
      const since = callCount(run);
      const next = start(run);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([changes(next, since), statusAndReason(run)[1]], [[], 'LoadBalancerChangeNotSupported']);
      assert.deepEqual(
        bindingsOf(run).map(({ spec }) => spec.loadBalancer?.id),
        ['lb-other'],
      );
      await next.process.stop();
    });
  }
});
