import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/errors.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import type { Write } from '../../support/kubernetes-double.ts';
import { annotation, apply, events, patch, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());

const REMOVED = '$deleteFromPrimitiveList/finalizers';

interface Labelled {
  readonly metadata?: { readonly labels?: object; readonly finalizers?: object; readonly [REMOVED]?: object };
  readonly status?: object;
}
const patched = ({ patch: change = {} }: Write): Labelled => change;
const isOfService = ({ plural }: Write): boolean => plural === SERVICES.plural;
const isOfBinding = ({ plural }: Write): boolean => plural === LOAD_BALANCER_BINDINGS.plural;

/** What is done to the Service while a write fails that it needs. */
const create = (run: Running): Promise<void> => apply(run);
const remove = async (run: Running): Promise<void> => {
  run.cluster.kubernetes.delete(SERVICES, KEY);
  await run.cluster.quiet();
};

interface Row {
  /** Whether everything is in order before. */
  readonly isServed: boolean;
  readonly act: (run: Running) => Promise<void>;
  readonly fails: (write: Write) => boolean;
  readonly told: readonly string[];
  readonly resource: string;
}

const rows: Readonly<Record<string, Row>> = {
  'the finalizer cannot be put on': {
    isServed: false,
    act: create,
    fails: (write) => patched(write).metadata?.finalizers !== undefined,
    told: ['FailedAddFinalizer'],
    resource: 'services',
  },
  'the finalizer cannot be taken off': {
    isServed: true,
    act: remove,
    fails: (write) => patched(write).metadata?.[REMOVED] !== undefined,
    told: ['FailedRemoveFinalizer'],
    resource: 'services',
  },
  'a creation cannot be recorded before it is made': {
    isServed: false,
    act: create,
    fails: isOfBinding,
    told: ['FailedUpdateBinding'],
    resource: 'loadbalancerbindings',
  },
  'a change cannot be recorded before it is made': {
    isServed: true,
    act: (run) => patch(run, { metadata: { annotations: { [annotation('scheduler')]: 'wrr' } } }),
    fails: isOfBinding,
    told: ['FailedUpdateBinding'],
    resource: 'loadbalancerbindings',
  },
  'its binding cannot be deleted': {
    isServed: true,
    act: remove,
    fails: (write) => isOfBinding(write) && write.verb === 'delete',
    told: ['FailedUpdateBinding'],
    resource: 'loadbalancerbindings',
  },
  'neither labels nor address can be written': {
    isServed: false,
    act: create,
    fails: ({ subresource }) => subresource === 'status',
    told: ['FailedAddHash', 'FailedUpdateStatus'],
    resource: 'services/status',
  },
  'another address cannot be written': {
    isServed: true,
    act: (run) => patch(run, { metadata: { annotations: { [annotation('hostname')]: 'web.example' } } }),
    fails: ({ subresource }) => subresource === 'status',
    told: ['FailedUpdateStatus'],
    resource: 'services/status',
  },
  'neither labels nor address can be taken away': {
    isServed: true,
    act: remove,
    fails: ({ subresource }) => subresource === 'status',
    told: ['FailedRemoveHash', 'FailedUpdateStatus'],
    resource: 'services/status',
  },
};

describe('a Service that cannot be written to', () => {
  for (const [sentence, { isServed, act, fails, told, resource }] of Object.entries(rows)) {
    it(`is told that ${sentence}, why, and what to do, and is carried on with once it can`, async () => {
      let isForbidden = false;
      const run = await running({
        aroundWrite: async (write, when) => {
          if (isForbidden && when === 'before' && (isOfService(write) || isOfBinding(write)) && fails(write))
            throw new PortcullisError('Forbidden', 'services "web" is forbidden');
        },
      });
      if (isServed) await apply(run);
      run.cluster.kubernetes.told.length = 0;
      isForbidden = true;
      await act(run);
      const failures = run.cluster.kubernetes.told.filter(({ type }) => type === 'Warning');
      assert.deepEqual([...new Set(failures.map(({ reason }) => reason))].sort(), [...told].sort());
      const advice = `is forbidden; allow the controller's service account to patch ${resource}, by its ClusterRole`;
      for (const { message } of failures) assert.ok(message.endsWith(advice), message);
      isForbidden = false;
      await run.cluster.quiet(10 * 60_000);
      if (act === remove) assert.deepEqual([run.cluster.service(), run.cluster.binding()], [undefined, undefined]);
      else assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
      await run.process.stop();
    });
  }

  it('is told nothing of a write that came too late, which is made again on fresh data', async () => {
    let isLate = true;
    const run = await running({
      aroundWrite: async (write, when) => {
        if (!isLate || when !== 'before' || !isOfService(write)) return;
        isLate = false;
        throw new PortcullisError('Conflict', 'shop/web has been changed');
      },
    });
    await apply(run);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    assert.deepEqual(events(run, 'FailedAddFinalizer'), []);
    await run.process.stop();
  });
});
