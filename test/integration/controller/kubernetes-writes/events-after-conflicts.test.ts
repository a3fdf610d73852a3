import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { SERVICES } from '../../../support/simulated-cluster.ts';
import { annotated, apply, patch, running, type Running } from '../../../support/running-controller.ts';
import { remove } from '../../../support/service-changes.ts';

const annotate = (annotations: Readonly<Record<string, string>>) => (run: Running) =>
  patch(run, { metadata: { annotations: annotated(annotations) } });

interface Row {
  /** The annotations of the stored Service. Undefined for a new Service. */
  readonly before?: Readonly<Record<string, string>>;
  readonly act: (run: Running) => Promise<void>;
  readonly reasons: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'is created': { act: (run) => apply(run), reasons: ['EnsuredLoadBalancer'] },
  'is created with annotations without effect': {
    act: (run) => apply(run, { annotations: annotated({ 'acl-statsu': 'on' }) }),
    reasons: ['EnsuredLoadBalancer', 'EnsuredLoadBalancer'],
  },
  'gets another name': {
    before: {},
    act: annotate({ name: 'other' }),
    reasons: ['AnnotationChanged', 'EnsuredLoadBalancer'],
  },
  'gets another name and publishes a host name': {
    before: {},
    act: annotate({ name: 'other', hostname: 'web.example' }),
    reasons: ['AnnotationChanged', 'EnsuredLoadBalancer'],
  },
  'violates a rule': {
    before: {},
    act: annotate({ scheduler: 'nonsense' }),
    reasons: ['AnnotationChanged', 'SyncLoadBalancerFailed'],
  },
  'is deleted': { before: {}, act: remove, reasons: ['CleanLoadBalancer', 'DeleteTimestampChanged'] },
  'is deleted and preserves its load balancer': {
    before: { 'preserve-lb-on-delete': 'true' },
    act: remove,
    reasons: ['CleanLoadBalancer', 'DeleteTimestampChanged', 'PreservedOnDelete'],
  },
};

/** Returns the reasons of the events, and the number of writes. The write with index `conflicting` fails once. */
async function reasonsOf({ before, act }: Row, conflicting = Infinity) {
  let writes = -Infinity;
  const run = await running({
    onWrite: async ({ plural }, when) => {
      if (when !== 'before' || (plural !== SERVICES.plural && plural !== 'loadbalancerbindings')) return;
      writes += 1;
      if (writes - 1 === conflicting) throw new PortcullisError('Conflict', 'shop/web has been changed');
    },
  });
  if (before !== undefined) await apply(run, { annotations: annotated(before) });
  run.cluster.kubernetes.events.length = 0;
  writes = 0;
  await act(run);
  await run.cluster.quiet(10 * 60_000);
  await run.process.stop();
  return { reasons: run.cluster.kubernetes.events.map(({ reason }) => reason).sort(), writes };
}

/** A repeated reconcile must not repeat events, because users and alerts count them. */
describe('each event of a Service is recorded once, whichever write conflicts,', () => {
  for (const [what, row] of Object.entries(ROWS))
    it(`if the Service ${what}`, async () => {
      const { reasons, writes } = await reasonsOf(row);
      assert.deepEqual(reasons, row.reasons);
      assert.ok(writes > 0);
      for (let index = 0; index < writes; index += 1)
        assert.deepEqual((await reasonsOf(row, index)).reasons, row.reasons, `write ${index} of ${writes}`);
    });
});
