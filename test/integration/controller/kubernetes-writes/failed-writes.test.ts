import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../../src/inventory/binding.ts';
import { SERVICES } from '../../../support/simulated-cluster.ts';
import type { Write } from '../../../support/kubernetes-double.ts';
import {
  annotated,
  apply,
  events,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { remove } from '../../../support/service-changes.ts';

const READY = ['True', 'EnsuredLoadBalancer'];
const REMOVED = '$deleteFromPrimitiveList/finalizers';

interface Patch {
  readonly metadata?: { readonly finalizers?: object; readonly [REMOVED]?: object };
}
const metadataOf = ({ patch: change = {} }: Write) => (change as Patch).metadata;
const isOfService = ({ plural }: Write): boolean => plural === SERVICES.plural;
const isOfBinding = ({ plural }: Write): boolean => plural === LOAD_BALANCER_BINDINGS.plural;
const isOfStatus = ({ subresource }: Write): boolean => subresource === 'status';

const create = (run: Running): Promise<void> => apply(run);
const annotate = (annotations: Readonly<Record<string, string>>) => (run: Running) =>
  patch(run, { metadata: { annotations: annotated(annotations) } });

interface Row {
  readonly act: (run: Running) => Promise<void>;
  readonly fails: (write: Write) => boolean;
  readonly reasons: readonly string[];
  readonly resource: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  'the finalizer cannot be added': {
    ...{ act: create, fails: (write) => metadataOf(write)?.finalizers !== undefined },
    ...{ reasons: ['FailedAddFinalizer'], resource: 'services' },
  },
  'the finalizer cannot be removed': {
    ...{ act: remove, fails: (write) => metadataOf(write)?.[REMOVED] !== undefined },
    ...{ reasons: ['FailedRemoveFinalizer'], resource: 'services' },
  },
  'the creation of its load balancer cannot be recorded': {
    ...{ act: create, fails: isOfBinding },
    ...{ reasons: ['FailedUpdateBinding'], resource: 'loadbalancerbindings' },
  },
  'a change of its load balancer cannot be recorded': {
    ...{ act: annotate({ scheduler: 'wrr' }), fails: isOfBinding },
    ...{ reasons: ['FailedUpdateBinding'], resource: 'loadbalancerbindings' },
  },
  'its binding cannot be deleted': {
    ...{ act: remove, fails: (write) => isOfBinding(write) && write.verb === 'delete' },
    ...{ reasons: ['FailedUpdateBinding'], resource: 'loadbalancerbindings' },
  },
  'labels and address cannot be written': {
    ...{ act: create, fails: isOfStatus },
    ...{ reasons: ['FailedAddHash', 'FailedUpdateStatus'], resource: 'services/status' },
  },
  'another address cannot be written': {
    ...{ act: annotate({ hostname: 'web.example' }), fails: isOfStatus },
    ...{ reasons: ['FailedUpdateStatus'], resource: 'services/status' },
  },
  'labels and address cannot be removed': {
    ...{ act: remove, fails: isOfStatus },
    ...{ reasons: ['FailedRemoveHash', 'FailedUpdateStatus'], resource: 'services/status' },
  },
};

/** The controller must remember the result of its cloud call despite a failed write. An event must give the reason. */
describe('a Service to which the API server rejects a write', () => {
  for (const [what, { act, fails, reasons, resource }] of Object.entries(ROWS))
    it(`gets an event and resumes later if ${what}`, async () => {
      let isForbidden = false;
      const run = await running({
        onWrite: async (write, when) => {
          if (isForbidden && when === 'before' && (isOfService(write) || isOfBinding(write)) && fails(write))
            throw new PortcullisError('Forbidden', 'services "web" is forbidden');
        },
      });
      if (act !== create) await apply(run);
      run.cluster.kubernetes.events.length = 0;
      isForbidden = true;
      await act(run);
      const failures = run.cluster.kubernetes.events.filter(({ type }) => type === 'Warning');
      assert.deepEqual([...new Set(failures.map(({ reason }) => reason))].sort(), reasons);
      const advice = `is forbidden; allow the service account of the controller to patch ${resource} in its ClusterRole`;
      for (const { message } of failures) assert.ok(message.endsWith(advice), message);
      isForbidden = false;
      await run.cluster.quiet(10 * 60_000);
      if (act === remove) assert.deepEqual([run.cluster.service(), run.cluster.binding()], [undefined, undefined]);
      else assert.deepEqual(statusAndReason(run), READY);
      await run.process.stop();
    });

  it('gets no event if the write conflicts, and is reconciled with fresh data', async () => {
    let isConflict = true;
    const run = await running({
      onWrite: async (write, when) => {
        if (!isConflict || when !== 'before' || !isOfService(write)) return;
        isConflict = false;
        throw new PortcullisError('Conflict', 'shop/web has been changed');
      },
    });
    await apply(run);
    assert.deepEqual(statusAndReason(run), READY);
    assert.deepEqual(events(run, 'FailedAddFinalizer'), []);
    await run.process.stop();
  });
});
