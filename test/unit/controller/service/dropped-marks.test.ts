import assert from 'node:assert/strict';
import { DroppedMarks } from '../../../../src/controller/service/leaving/dropped-marks.ts';
import type { Service } from '../../../../src/objects.ts';
import { aService } from '../../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const DIGEST = { 'portcullis.io/digest': 'd' };
const MARKS = { ...DIGEST, 'service.k8s.alibaba/loadbalancer-id': 'lb-a' };

interface Said {
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isHeld?: true;
  readonly uid?: string;
  readonly deletionTimestamp?: string;
}
function stateOf({ isHeld, deletionTimestamp, ...said }: Said): Service {
  const service = aService(said);
  const finalizers = ['example.com/own', ...(isHeld === true ? [FINALIZER] : [])];
  const deleted = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return { ...service, metadata: { ...service.metadata, finalizers, ...deleted } };
}

const SERVED: Said = { isHeld: true, labels: DIGEST };
const RECORDED: Said = { isHeld: true, labels: MARKS };
const LEAVING: Said = { ...SERVED, type: 'ClusterIP' };
const LOST: Said = { type: 'ClusterIP' };
const deletionTimestamp = '2026-01-02T03:04:05Z';

/** States of a Service one after another; the last is that of its turn. */
const ROWS: Readonly<Record<string, readonly [states: readonly (Said | undefined)[], isHeldAgain: boolean]>> = {
  'when they go with the type': [[SERVED, LOST], true],
  'when they go before the type': [[SERVED, {}, LOST], true],
  'not when they go after the type': [[SERVED, LEAVING, LOST], false],
  'not when they go once it is being deleted': [
    [SERVED, { ...SERVED, deletionTimestamp }, { type: 'ClusterIP', deletionTimestamp }],
    false,
  ],
  'while it is for a load balancer, if they tell where it is served': [[RECORDED, {}], true],
  'not while it is for a load balancer, if nothing tells that it was not let go': [[SERVED, {}], false],
  'not when it has had them again since': [[SERVED, {}, SERVED, LEAVING, LOST], false],
  'not when it is another Service of the name': [[SERVED, {}, { ...LOST, uid: 'another' }], false],
  'not when it was gone meanwhile': [[SERVED, {}, undefined, LOST], false],
};

describe('marks that a Service has lost', () => {
  for (const [sentence, [states, isHeldAgain]] of Object.entries(ROWS)) {
    it(`are put back ${sentence}`, () => {
      const dropped = new DroppedMarks();
      const services = states.map((state) => (state === undefined ? undefined : stateOf(state)));
      services.forEach((after, at) => {
        const before = services[at - 1];
        dropped.see({ ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
      });
      const service = services.at(-1) ?? assert.fail();
      const { labels, finalizers } = dropped.putBack(service).metadata;
      assert.deepEqual(
        { labels, finalizers },
        isHeldAgain
          ? { labels: states[0]?.labels, finalizers: ['example.com/own', FINALIZER] }
          : { labels: service.metadata.labels, finalizers: ['example.com/own'] },
      );
    });
  }
});
