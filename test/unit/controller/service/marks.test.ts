import assert from 'node:assert/strict';
import { writeOptions } from '../../../../src/clb/applied.ts';
import type { LoadBalancerId } from '../../../../src/clb/ids.ts';
import {
  beginPatch,
  commitLabels,
  endedLabel,
  finalPatch,
  holdPatch,
  leftLabel,
  noLabels,
  readMarks,
} from '../../../../src/controller/service/marks.ts';
import type { Leaving } from '../../../../src/controller/service/dirty-mark.ts';
import { fitLabel, OWN, writePlaces, type Place } from '../../../../src/controller/service/places.ts';
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
const lock = { resourceVersion: '1', uid: aService().metadata.uid };

describe('the marks on a Service', () => {
  it('are hints: an id that is none is not read', () => {
    assert.equal(readMarks(marked({ [ID]: 'lb-1' })).loadBalancerId, 'lb-1');
    assert.equal(readMarks(marked({ [ID]: '../lb' })).loadBalancerId, undefined);
  });

  it('are begun in one write, locked to the very object that was read, beside others’ finalizers', () => {
    assert.deepEqual(beginPatch(marked({}, ['x']), { intent: 'i-1' }), {
      metadata: { ...lock, labels: { [DIRTY]: 'true', [INTENT]: 'i-1' }, finalizers: ['x', FINALIZER] },
    });
  });

  it('are not begun twice', () => {
    assert.equal(beginPatch(marked({ [DIRTY]: 'true', [INTENT]: 'i-1' }), { intent: 'i-1' }), undefined);
    assert.equal(beginPatch(marked({ [DIRTY]: 'true' })), undefined);
    assert.equal(holdPatch(marked({})), undefined);
    assert.deepEqual(holdPatch(marked({}, [])), { metadata: { ...lock, finalizers: [FINALIZER] } });
  });

  const LEAVING: Readonly<Record<string, readonly [had: string, leaving: Leaving | undefined, said: string]>> = {
    'all that it has': ['true', 'everything', 'leaving'],
    'all that it has, beyond its own load balancer': ['leaving-own', 'everything', 'leaving'],
    'its own load balancer': ['ended', 'own', 'leaving-own'],
    'no less than before': ['leaving-ended', 'own', 'leaving'],
    'what it was before': ['leaving-own-ended', undefined, 'leaving-own'],
  };
  describe('say until it is over that leaving was begun, and of what:', () => {
    for (const [what, [had, leaving, said]] of Object.entries(LEAVING))
      it(what, () => {
        const patch = beginPatch(marked({ [DIRTY]: had }), { leaving });
        assert.deepEqual(patch, { metadata: { ...lock, labels: { [DIRTY]: said } } });
        assert.equal(beginPatch(marked({ [DIRTY]: said }), { leaving }), undefined);
        assert.deepEqual(commitLabels(marked({ [DIRTY]: said }), { digest: 'd' }), { [DIGEST]: 'd', [DIRTY]: null });
      });
  });

  it('say no more that leaving was begun once what it took off is back, though not all is carried out', () => {
    for (const had of ['leaving', 'leaving-own-ended'])
      assert.deepEqual(commitLabels(marked({ [DIRTY]: had }), { isBack: true }), { [DIRTY]: 'ended' });
    for (const had of ['true', 'ended']) assert.deepEqual(commitLabels(marked({ [DIRTY]: had }), { isBack: true }), {});
    assert.deepEqual(commitLabels(marked({ [DIRTY]: 'leaving' }), { isBack: false }), {});
  });

  const ENDED: Readonly<
    Record<string, readonly [had: Record<string, string>, ended: object, begunAgain: string | undefined]>
  > = {
    'where something is under way': [{ [DIRTY]: 'true' }, { [DIRTY]: 'ended' }, undefined],
    'where it was to leave nothing': [{ [DIRTY]: 'leaving' }, { [DIRTY]: 'leaving-ended' }, undefined],
    'where it was to leave its own': [{ [DIRTY]: 'leaving-own' }, { [DIRTY]: 'leaving-own-ended' }, undefined],
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

  describe('say where something of a Service is', () => {
    const USES = 'portcullis.io/uses';
    const first = 'lb-1' as LoadBalancerId;
    const second = 'lb-2' as LoadBalancerId;
    const label = (...places: Place[]): string => writePlaces(places, aService().metadata.uid);
    const begun = (labels: Record<string, string>, use: Place) =>
      (beginPatch(marked({ [DIRTY]: 'true', ...labels }), { use }) as { metadata?: { labels?: object } } | undefined)
        ?.metadata?.labels;

    it('to none but the very Service of which it was said', () => {
      assert.deepEqual(readMarks(marked({ [USES]: label(first, OWN) })).uses, [first, OWN]);
      assert.deepEqual(readMarks(marked({ [USES]: writePlaces([first], 'another') })).uses, []);
    });

    const rows: Readonly<
      Record<string, readonly [had: Record<string, string>, use: Place, begun: object | undefined]>
    > = {
      'and not of its own, by which it is found': [{ [ID]: first }, OWN, undefined],
      'of one of people, with its id': [{}, first, { [ID]: first, [USES]: label(first) }],
      once: [{ [ID]: first, [USES]: label(first) }, first, undefined],
      'beside its own, which was recorded': [{ [ID]: first }, second, { [ID]: second, [USES]: label(OWN, second) }],
      'beside its own, which may be made': [{ [INTENT]: 'i' }, first, { [ID]: first, [USES]: label(OWN, first) }],
      'beside another': [{ [ID]: first, [USES]: label(first) }, second, { [ID]: second, [USES]: label(first, second) }],
      'and forget what was said of another': [{ [USES]: writePlaces([second], 'another') }, OWN, { [USES]: null }],
    };
    for (const [what, [had, use, expected]] of Object.entries(rows))
      it(what, () => assert.deepEqual(begun(had, use), expected));

    it('until it is left', () => {
      const service = marked({ [ID]: second, [USES]: label(OWN, first, second) });
      assert.deepEqual(leftLabel(service, OWN), { [USES]: label(first, second) });
      assert.deepEqual(leftLabel(marked({ [USES]: label(first) }), first), { [USES]: null });
    });

    it('until its own is left, and with it the wish to create that', () => {
      const wishing = marked({ [ID]: second, [USES]: label(OWN, second), [INTENT]: 'i-1' });
      assert.deepEqual(leftLabel(wishing, OWN), { [USES]: label(second), [INTENT]: null });
      assert.deepEqual(leftLabel(wishing, second), { [USES]: null });
    });

    it('in a label, which has room for two load balancers beside its own, as long as their ids are as usual', () => {
      const usual = ['a', 'b'].map((end) => `lb-bp1b6c719dfa08exaaaa${end}` as LoadBalancerId);
      const { uid } = aService().metadata;
      assert.equal(fitLabel([OWN, ...usual], uid), true);
      const longer = usual.map((id) => `${id}a` as LoadBalancerId);
      assert.deepEqual([fitLabel(longer, uid), fitLabel([OWN, ...longer], uid)], [true, false]);
    });
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
      metadata: { ...lock, finalizers: [], labels: { [DIGEST]: null, [DIRTY]: null } },
    });
    assert.deepEqual(finalPatch(marked({}, ['x', FINALIZER])), { metadata: { ...lock, finalizers: ['x'] } });
  });
});
