import assert from 'node:assert/strict';
import { writeOptions } from '../../../../src/clb/applied.ts';
import type { LoadBalancerId } from '../../../../src/clb/ids.ts';
import {
  beginPatch,
  commitLabels,
  endedLabel,
  finalPatch,
  holdPatch,
  noLabels,
  readMarks,
  restorePatch,
} from '../../../../src/controller/service/marks.ts';
import type { Service } from '../../../../src/objects.ts';
import { aService } from '../../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const DIRTY = 'portcullis.io/dirty';
const DIGEST = 'portcullis.io/digest';
const APPLIED = 'portcullis.io/applied';
const INTENT = 'portcullis.io/intent';
const ID = 'service.k8s.alibaba/loadbalancer-id';
const HASH = 'service.beta.kubernetes.io/hash';

const marked = (labels: Record<string, string>, finalizers: string[] = [FINALIZER], whole = false): Service => {
  const service = aService({ labels });
  const metadata = { ...service.metadata, finalizers, ...(whole ? { managedFields: [] } : {}) };
  return { ...service, metadata };
};
const REMOVED = { '$deleteFromPrimitiveList/finalizers': [FINALIZER] };
const lock = { resourceVersion: '1', uid: aService().metadata.uid };

describe('the marks on a Service', () => {
  it('are hints: an id that is none is not read', () => {
    assert.equal(readMarks(marked({ [ID]: 'lb-1' })).loadBalancerId, 'lb-1');
    assert.equal(readMarks(marked({ [ID]: '../lb' })).loadBalancerId, undefined);
  });

  it('are begun in one write, locked to the very object that was read', () => {
    assert.deepEqual(beginPatch(marked({}, []), { intent: 'i-1' }), {
      metadata: { ...lock, labels: { [DIRTY]: 'true', [INTENT]: 'i-1' }, finalizers: [FINALIZER] },
    });
  });

  it('are written without the finalizers and labels of others, which a cache may have cut', () => {
    const bare = marked({ app: 'web' }, ['x']);
    const wanted = marked({ app: 'web', [DIGEST]: 'd' }, ['x', FINALIZER]);
    const added = { metadata: { ...lock, finalizers: [FINALIZER] } };
    assert.deepEqual(holdPatch(bare), added);
    assert.deepEqual(beginPatch(bare), { metadata: { ...added.metadata, labels: { [DIRTY]: 'true' } } });
    assert.deepEqual(restorePatch(bare, wanted), { metadata: { ...added.metadata, labels: { [DIGEST]: 'd' } } });
    assert.deepEqual(finalPatch(marked({}, ['x', FINALIZER])), { metadata: { ...lock, ...REMOVED } });
  });

  it('are not begun twice', () => {
    assert.equal(beginPatch(marked({ [DIRTY]: 'true', [INTENT]: 'i-1' }), { intent: 'i-1' }), undefined);
    assert.equal(beginPatch(marked({ [DIRTY]: 'true' })), undefined);
    assert.equal(holdPatch(marked({})), undefined);
    assert.deepEqual(holdPatch(marked({}, [])), { metadata: { ...lock, finalizers: [FINALIZER] } });
  });

  const LEAVING: Readonly<Record<string, readonly [had: string, isLeaving: boolean, said: string]>> = {
    'while something else is under way': ['true', true, 'leaving'],
    'also of what was leaving before': ['leaving-ended', false, 'leaving'],
  };
  describe('say until it is over that leaving was begun', () => {
    for (const [what, [had, isLeaving, said]] of Object.entries(LEAVING))
      it(what, () => {
        const patch = beginPatch(marked({ [DIRTY]: had }), { isLeaving });
        assert.deepEqual(patch, { metadata: { ...lock, labels: { [DIRTY]: said } } });
        assert.equal(beginPatch(marked({ [DIRTY]: said }), { isLeaving }), undefined);
        assert.deepEqual(commitLabels(marked({ [DIRTY]: said }), { digest: 'd' }), { [DIGEST]: 'd', [DIRTY]: null });
      });
  });

  it('say no more that leaving was begun once what it took off is back, though not all is carried out', () => {
    for (const had of ['leaving', 'leaving-ended'])
      assert.deepEqual(commitLabels(marked({ [DIRTY]: had }), { isBack: true }), { [DIRTY]: 'ended' });
    for (const had of ['true', 'ended']) assert.deepEqual(commitLabels(marked({ [DIRTY]: had }), { isBack: true }), {});
    assert.deepEqual(commitLabels(marked({ [DIRTY]: 'leaving' }), { isBack: false }), {});
  });

  const ENDED: Readonly<
    Record<string, readonly [had: Record<string, string>, ended: object, begunAgain: string | undefined]>
  > = {
    'where something is under way': [{ [DIRTY]: 'true' }, { [DIRTY]: 'ended' }, undefined],
    'where it was to leave nothing': [{ [DIRTY]: 'leaving' }, { [DIRTY]: 'leaving-ended' }, undefined],
    'where the mark says what is not ours': [{ [DIRTY]: 'so' }, { [DIRTY]: 'ended' }, undefined],
    'where that is a word of the language': [{ [DIRTY]: 'constructor' }, { [DIRTY]: 'ended' }, undefined],
    once: [{ [DIRTY]: 'ended' }, {}, 'true'],
    'once of leaving, which is not over by that': [{ [DIRTY]: 'leaving-ended' }, {}, 'leaving'],
    'not of what was never begun': [{}, {}, 'true'],
  };
  describe('say that all that was begun has ended', () => {
    for (const [when, [had, ended, begunAgain]] of Object.entries(ENDED))
      it(when, () => {
        assert.deepEqual(endedLabel(marked(had)), ended);
        const patch = beginPatch(marked(had)) as { readonly metadata: { readonly labels: object } } | undefined;
        assert.deepEqual(patch?.metadata.labels, begunAgain === undefined ? undefined : { [DIRTY]: begunAgain });
      });
  });

  it('record a user-managed load balancer, once, before it is changed', () => {
    const loadBalancerId = 'lb-1' as LoadBalancerId;
    const patch = beginPatch(marked({ [DIRTY]: 'true' }), { loadBalancerId });
    assert.deepEqual(patch, { metadata: { ...lock, labels: { [ID]: loadBalancerId } } });
    assert.equal(beginPatch(marked({ [DIRTY]: 'true', [ID]: loadBalancerId }), { loadBalancerId }), undefined);
  });

  it('say with the digest that nothing is dirty or under way any more', () => {
    const id = 'lb-1' as LoadBalancerId;
    const labels = commitLabels(marked({ [DIRTY]: 'true', [INTENT]: 'i-1' }), { digest: 'd', loadBalancerId: id });
    assert.deepEqual(labels, { [ID]: id, [DIGEST]: 'd', [DIRTY]: null, [INTENT]: null });
  });

  it('stay dirty as long as there is no digest', () =>
    assert.deepEqual(commitLabels(marked({ [DIRTY]: 'true' }), {}), {}));

  it('stay dirty beside a digest as long as something may yet happen', () =>
    assert.deepEqual(commitLabels(marked({ [DIRTY]: 'true' }), { digest: 'd', isSettled: false }), { [DIGEST]: 'd' }));

  it('tell with the digest what is put up, and without one what more may be', () => {
    const labels = { [APPLIED]: writeOptions(new Set(['spec'])) ?? '' };
    const applied = new Set(['scheduler'] as const);
    assert.deepEqual(commitLabels(marked(labels), { applied }), {
      [APPLIED]: writeOptions(new Set(['spec', 'scheduler'])),
    });
    assert.deepEqual(commitLabels(marked({ ...labels, [DIGEST]: 'd' }), { digest: 'd', applied }), {
      [APPLIED]: writeOptions(applied),
    });
  });

  it('are not written again when they are as they should be', () =>
    assert.deepEqual(commitLabels(marked({ [DIGEST]: 'd', [ID]: 'lb-1' }), { digest: 'd' }), {}));

  it('tell the existing controller’s hash of a whole object only, and never as a write of its own', () => {
    assert.equal(commitLabels(marked({ [DIRTY]: 'true' }, [FINALIZER], true), { digest: 'd' })[HASH]?.length, 56);
    assert.equal(commitLabels(marked({ [DIRTY]: 'true' }), { digest: 'd' })[HASH], undefined);
    assert.deepEqual(commitLabels(marked({ [DIGEST]: 'd' }, [FINALIZER], true), { digest: 'd' }), {});
  });

  it('go with the load balancer, and people’s own labels stay', () => {
    const labels = { [DIGEST]: 'd', [DIRTY]: 'true', [ID]: 'lb-1', app: 'web' };
    assert.deepEqual(noLabels(marked(labels)), { [ID]: null });
    assert.deepEqual(finalPatch(marked(labels, [FINALIZER])), {
      metadata: { ...lock, ...REMOVED, labels: { [DIGEST]: null, [DIRTY]: null } },
    });
  });
});
