import assert from 'node:assert/strict';
import { untagByHand } from '../../../support/user-changes.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  deleteBinding,
  callCount,
  running,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const KEY = keyOf(aService());
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 22, protocol: 'tcp' }] },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 22, protocol: 'tcp' }] },
  ],
};
const REUSING = { id: 'lb-a', 'force-override-listeners': 'true' };
const OWNER_TAG = 'kubernetes.do.not.delete';

interface Row {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Changes while no controller runs. */
  readonly act: (run: Running) => unknown;
}

const remove = ({ cluster }: Running): void => {
  cluster.kubernetes.delete(SERVICES, KEY);
};
const annotate = ({ cluster }: Running, annotations: Readonly<Record<string, string | null>>): void => {
  cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: annotated(annotations) } });
};
const ownId = ({ cluster }: Running): string => cluster.binding()?.spec.loadBalancer?.id ?? '';

const ROWS: Readonly<Record<string, Row>> = {
  'the cleanup of an owned load balancer': { act: remove },
  'the cleanup of a user-managed load balancer': { annotations: REUSING, act: remove },
  'the cleanup of an owned load balancer and a user-managed one that the Service names': {
    act: (run) => {
      annotate(run, REUSING);
      remove(run);
    },
  },
  'the cleanup of two user-managed load balancers': {
    annotations: REUSING,
    act: (run) => {
      annotate(run, { id: 'lb-b' });
      remove(run);
    },
  },
  'the cleanup of an owned load balancer that lost the owner tag': {
    annotations: { name: 'shop' },
    act: async (run) => {
      await untagByHand(run, ownId(run), OWNER_TAG);
      remove(run);
    },
  },
  'the adoption of an owned load balancer': {
    act: (run) => {
      deleteBinding(run);
    },
  },
  'the adoption of a user-managed load balancer': {
    annotations: REUSING,
    act: (run) => {
      deleteBinding(run);
    },
  },
  'the adoption of a user-managed load balancer that the Service no longer names': {
    annotations: REUSING,
    act: (run) => {
      deleteBinding(run);
      annotate(run, { id: null });
    },
  },
};

/** Returns the calls of a controller that starts after a change, with call number `nth` throttled. */
async function callsOf({ annotations = {}, act }: Row, nth?: number): Promise<readonly string[]> {
  const run = await running({}, SEED);
  const { cluster } = run;
  await apply(run, { annotations: annotated(annotations) });
  await run.process.stop();
  await act(run);
  if (nth !== undefined) cluster.simulator.faults([{ action: '*', nth, effect: 'throttle' }]);
  const since = callCount(run);
  const process = cluster.start();
  await cluster.quiet(3 * 60_000);
  await process.stop();
  return cluster.calls(since);
}

/** A throttled call must not repeat the calls before it. Otherwise throttling would cause more throttling. */
describe('the calls of a controller that starts', () => {
  for (const [what, row] of Object.entries(ROWS))
    it(`are one more if a call of ${what} is throttled`, async () => {
      const calls = await callsOf(row);
      for (const nth of calls.keys()) {
        const more = await callsOf(row, nth + 1);
        assert.equal(more.length, calls.length + 1, `call ${nth + 1} of ${calls.join(', ')}: ${more.join(', ')}`);
      }
    });
});
