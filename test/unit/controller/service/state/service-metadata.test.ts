import assert from 'node:assert/strict';
import type { LoadBalancerId } from '../../../../../src/clb/model/ids.ts';
import {
  CLEANED_UP,
  NO_RECORD,
  type BindingRecord,
} from '../../../../../src/controller/service/state/binding-record.ts';
import {
  addFinalizer,
  hasBeenServed,
  hintsOf,
  isLabelChanged,
  labelChanges,
  namesAnother,
  noLabels,
  recordedId,
  removeFinalizer,
} from '../../../../../src/controller/service/state/service-metadata.ts';
import { withFinalizer } from '../../../../../src/clb/model/provisioning-evidence.ts';
import type { Service } from '../../../../../src/base/kubernetes-objects.ts';
import { aService } from '../../../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const ID = 'service.k8s.alibaba/loadbalancer-id';
const HASH = 'service.beta.kubernetes.io/hash';
const OBSOLETE = {
  'portcullis.io/digest': 'd',
  'portcullis.io/dirty': 'true',
  'portcullis.io/intent': 'i',
  'portcullis.io/applied': 'a',
  'portcullis.io/uses': 'u',
};
const REMOVED = Object.fromEntries(Object.keys(OBSOLETE).map((label) => [label, null]));
const LB = 'lb-1' as LoadBalancerId;
const BOUND: BindingRecord = { loadBalancer: { id: 'lb-2', use: 'owned' } };
const SYNCING: BindingRecord = { operation: { type: 'Sync', state: 'InProgress' } };

const labelled = (labels: Record<string, string>, metadata: object = {}): Service => {
  const service = aService({ labels });
  return { ...service, metadata: { ...service.metadata, ...metadata } };
};
const published = (service: Service, ingress: object): Service => ({
  ...service,
  status: { loadBalancer: { ingress: [ingress] } },
});
const lock = { resourceVersion: '1', uid: aService().metadata.uid };

/** The labels, finalizer and addresses show which load balancer serves a Service, and users can edit them. */
describe('the load balancer of a Service is read', () => {
  const ROWS: Readonly<
    Record<string, readonly [labels: Record<string, string>, record: BindingRecord, id: string | undefined]>
  > = {
    'from the label, if the Service has no binding': [{ [ID]: 'lb-1' }, NO_RECORD, 'lb-1'],
    'not from a label without a valid id': [{ [ID]: '../lb' }, NO_RECORD, undefined],
    'from the binding, whatever the label is': [{ [ID]: 'lb-1' }, BOUND, 'lb-2'],
    'from the label, if a cleanup started without a binding': [{ [ID]: 'lb-1' }, CLEANED_UP, 'lb-1'],
    'not from the label, if the binding has no load balancer yet': [{ [ID]: 'lb-1' }, SYNCING, undefined],
    'from nowhere, without a record or a label': [{}, NO_RECORD, undefined],
  };
  for (const [title, [labels, record, id]] of Object.entries(ROWS))
    it(title, () => {
      assert.equal(recordedId(labelled(labels), record), id);
      assert.equal(hintsOf(labelled(labels), record, {}).recordedId, id);
    });

  it('also from the published addresses', () => {
    const service = published(aService(), { ip: '47.0.0.1' });
    assert.deepEqual(hintsOf(service, BOUND, {}), {
      published: ['47.0.0.1'],
      isAddressHidden: false,
      recordedId: 'lb-2',
      isRecordedAsOwned: true,
    });
    assert.deepEqual(hintsOf(aService(), NO_RECORD, {}), { published: [], isAddressHidden: false });
  });

  it('not from a published host name or elastic address, which hides the address', () => {
    const hidden: readonly (readonly [object, Parameters<typeof hintsOf>[2]])[] = [
      [{ hostname: 'web.example.com' }, { hostname: 'web.example.com' }],
      [{ ip: '8.0.0.1' }, { externalIpType: 'eip' }],
    ];
    for (const [ingress, options] of hidden)
      assert.equal(hintsOf(published(aService(), ingress), BOUND, options).isAddressHidden, true);
  });
});

describe('a Service proves that it had a load balancer', () => {
  const ROWS: Readonly<Record<string, readonly [service: Service, record: BindingRecord, isServed: boolean]>> = {
    'by its address': [published(aService(), { ip: '47.0.0.1' }), NO_RECORD, true],
    'by the digest of its binding': [aService(), { syncedDigest: 'd' }, true],
    'by the load balancer of its binding': [aService(), BOUND, true],
    'by the label of the existing controller, if it has no binding': [labelled({ [ID]: 'lb-1' }), NO_RECORD, true],
    'not by the label of the existing controller, if its binding has no load balancer': [
      labelled({ [ID]: 'lb-1' }),
      SYNCING,
      false,
    ],
    'not by labels of builds before the first release': [labelled(OBSOLETE), NO_RECORD, false],
    'not by the finalizer': [labelled({}, { finalizers: [FINALIZER] }), NO_RECORD, false],
  };
  for (const [title, [service, record, isServed]] of Object.entries(ROWS))
    it(title, () => assert.equal(hasBeenServed(service, record), isServed));
});

describe('the finalizer', () => {
  it('is added in a write that is locked to the read version and names no other finalizer', () =>
    assert.deepEqual(addFinalizer(labelled({ app: 'web' }, { finalizers: ['x'] })), {
      metadata: { ...lock, finalizers: [FINALIZER], labels: {} },
    }));

  it('is written together with the removal of labels of builds before the first release', () =>
    assert.deepEqual(addFinalizer(labelled({ app: 'web', ...OBSOLETE })), {
      metadata: { ...lock, finalizers: [FINALIZER], labels: REMOVED },
    }));

  it('is not added twice', () =>
    assert.equal(addFinalizer(labelled(OBSOLETE, { finalizers: ['x', FINALIZER] })), undefined));

  it('is added to the cached Service if a user removed the finalizer, and never twice', () => {
    const managed = labelled({}, { finalizers: ['x', FINALIZER] });
    assert.deepEqual(withFinalizer(labelled({}, { finalizers: ['x'] })), managed);
    assert.deepEqual(withFinalizer(aService()).metadata.finalizers, [FINALIZER]);
    assert.equal(withFinalizer(managed), managed);
  });

  it('is removed alone, in a write that is locked to the version that was read', () =>
    assert.deepEqual(removeFinalizer(labelled({ [ID]: 'lb-1' }, { finalizers: ['x', FINALIZER] })), {
      metadata: { ...lock, '$deleteFromPrimitiveList/finalizers': [FINALIZER] },
    }));
});

describe('a label of the existing controller', () => {
  const CHANGES: Readonly<
    Record<string, readonly [before: Record<string, string>, after: object, isChanged: boolean]>
  > = {
    'counts as changed with another id': [{ [ID]: 'lb-1' }, { [ID]: 'lb-2' }, true],
    'counts as changed with another hash': [{ [HASH]: 'h' }, { [HASH]: 'i' }, true],
    'does not count as changed when it is added': [{}, { [HASH]: 'h' }, false],
    'does not count as changed when it is removed': [{ [HASH]: 'h' }, {}, false],
    'does not count as changed when only labels of users change': [
      { [ID]: 'lb-1', app: 'a' },
      { [ID]: 'lb-1', app: 'b' },
      false,
    ],
  };
  for (const [title, [before, after, isChanged]] of Object.entries(CHANGES))
    it(title, () => assert.equal(isLabelChanged(labelled(before), labelled({ ...after })), isChanged));

  const ROWS: Readonly<Record<string, readonly [Record<string, string>, BindingRecord, boolean]>> = {
    'names another load balancer than the binding': [{ [ID]: 'lb-1' }, BOUND, true],
    'names the load balancer of the binding': [{ [ID]: 'lb-2' }, BOUND, false],
    'names no other load balancer if the binding has no load balancer': [{ [ID]: 'lb-1' }, SYNCING, false],
    'names no other load balancer if the label is missing, as after a crash': [{}, BOUND, false],
  };
  for (const [title, [labels, record, isAnother]] of Object.entries(ROWS))
    it(title, () => assert.equal(namesAnother(labelled(labels), record), isAnother));
});

describe('the labels of the existing controller', () => {
  const whole = (labels: Record<string, string>): Service => labelled(labels, { managedFields: [] });

  it('record the load balancer', () =>
    assert.deepEqual(labelChanges(labelled({}), LB, false), {
      labels: { [ID]: 'lb-1' },
      alongside: {},
    }));

  it('are corrected if they name another load balancer', () =>
    assert.deepEqual(labelChanges(labelled({ [ID]: 'lb-forged' }), LB, false).labels, {
      [ID]: 'lb-1',
    }));

  it('are not written again if they are correct', () =>
    assert.deepEqual(labelChanges(labelled({ [ID]: 'lb-1' }), LB, true).labels, {}));

  it('stay as long as the load balancer is unknown', () =>
    assert.deepEqual(labelChanges(labelled({ [ID]: 'lb-1' }), undefined, false), {
      labels: {},
      alongside: {},
    }));

  it('have the hash of a completely synced Service, and never cause a separate write', () => {
    const { labels, alongside } = labelChanges(whole({ [ID]: 'lb-1' }), LB, true);
    assert.deepEqual([labels, Object.keys(alongside), alongside[HASH]?.length], [{}, [HASH], 56]);
    assert.deepEqual(labelChanges(labelled({}), LB, true).alongside, {});
    assert.deepEqual(labelChanges(whole({}), LB, false).alongside, {});
  });

  it('remove labels of builds before the first release, without a separate write', () =>
    assert.deepEqual(labelChanges(labelled({ [ID]: 'lb-1', ...OBSOLETE }), LB, false), {
      labels: {},
      alongside: REMOVED,
    }));

  it('are removed with the load balancer, and labels of users stay', () => {
    const labels = { [ID]: 'lb-1', [HASH]: 'h', app: 'web' };
    assert.deepEqual(noLabels(labelled(labels)), { [HASH]: null, [ID]: null });
    assert.deepEqual(noLabels(labelled({ ...labels, ...OBSOLETE })), { [HASH]: null, [ID]: null, ...REMOVED });
    assert.deepEqual(noLabels(labelled({ app: 'web' })), {});
  });
});
