import assert from 'node:assert/strict';
import type { BindingRecord } from '../../../src/controller/service/state/binding-record.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { objectKey, type Service } from '../../../src/base/objects.ts';
import { aService, type ServiceSaid } from '../service.ts';
import type {
  Context,
  History,
  Invariant,
  JournalEntry,
  LoadBalancerPicture,
  Moment,
  RunSettings,
  Sent,
  Stored,
  Violation,
} from './moment.ts';
import { USUAL } from './check.ts';
import { CLUSTER_TAG, FINALIZER, OWNER_TAG, ownerMark } from './ownership.ts';

const EPOCH = Date.parse('2026-01-01T00:00:00Z');

/** Metadata of a Service before the first action for it. */
export const BEGUN = { finalizers: [FINALIZER] } as const;

const UID = aService().metadata.uid;

/** Returns the binding of `aService()`. */
export const aBinding = (record: BindingRecord = {}, uid: string = UID): LoadBalancerBinding => ({
  metadata: { name: uid, uid: `binding-${uid}`, resourceVersion: '1' },
  spec: { service: { namespace: 'shop', name: 'web' }, clusterUID: 'the-cluster', ...record },
});

/** A record of a pending operation. */
export const SYNCING: BindingRecord = { operation: { type: 'Sync', state: 'InProgress' } };
export const SYNCED: BindingRecord = { syncedDigest: 'd' };

/** Returns a write of the binding by the controller. Undefined deletes the binding. */
export const recorded = (
  before: BindingRecord | undefined,
  after: BindingRecord | undefined,
  said: StoredSaid = {},
): Stored => ({
  ...stored(before && aBinding(before), after && aBinding(after), { by: 'controller', ...said }),
  plural: LOAD_BALANCER_BINDINGS.plural,
  key: objectKey(UID),
});

/** Returns a Service with additional metadata. */
export function held(metadata: object = {}, said: ServiceSaid = {}): Service {
  const service = aService(said);
  return { ...service, metadata: { ...service.metadata, ...metadata } };
}

export const OWNER = ownerMark(aService().metadata.uid);

/** Returns the load balancer of `aService()`. Empty unless `said` adds parts. */
export const aPicture = (said: Partial<LoadBalancerPicture> = {}): LoadBalancerPicture => ({
  id: 'lb-1',
  name: OWNER,
  address: '47.0.0.1',
  tags: { [OWNER_TAG]: OWNER, [CLUSTER_TAG]: 'c1' },
  listeners: [],
  groups: [],
  ...said,
});

/** Picture of a user-managed load balancer. */
export const HERS = { id: 'lb-hers', name: 'by-hand', tags: {} } as const;

export interface CallSaid {
  readonly n?: number;
  /** Seconds since the start. */
  readonly at?: number;
  readonly userAgent?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly outcome?: string;
  readonly fault?: string;
  readonly missing?: readonly string[];
  readonly target?: LoadBalancerPicture;
  /** State after the call. Defaults to the state before. */
  readonly after?: LoadBalancerPicture;
  readonly siblings?: readonly string[];
  readonly subject?: string;
}

const timeAt = (seconds: number): string => new Date(EPOCH + seconds * 1_000).toISOString();

function entryOf(action: string, { n = 1, at = 0, target, ...said }: CallSaid): JournalEntry {
  const subject = said.subject ?? target?.id;
  return {
    n,
    time: timeAt(at),
    userAgent: said.userAgent ?? 'portcullis',
    product: 'Slb',
    action,
    kind: action.startsWith('Describe') ? 'read' : 'write',
    parameters: said.parameters ?? {},
    requestId: '',
    finished: timeAt(at),
    outcome: said.outcome ?? 'OK',
    ...(subject === undefined ? {} : { subject }),
    ...(said.fault === undefined ? {} : { fault: said.fault }),
    ...(said.missing === undefined ? {} : { missing: said.missing }),
  };
}

/** Returns a call that has not ended. */
export const sent = (action: string, said: CallSaid = {}): Sent => ({
  kind: 'sent',
  call: entryOf(action, said),
  ...(said.target === undefined ? {} : { target: said.target }),
});

/** Returns a call and its end. */
export function called(action: string, said: CallSaid = {}): readonly Moment[] {
  const first = sent(action, said);
  const target = said.after ?? said.target;
  return [
    first,
    {
      kind: 'ended',
      call: first.call,
      ...(target === undefined ? {} : { target }),
      ...(said.siblings === undefined ? {} : { siblings: said.siblings }),
    },
  ];
}

export interface StoredSaid extends Partial<Pick<Stored, 'by' | 'loadBalancers' | 'elasticAddresses' | 'node'>> {
  readonly at?: number;
  readonly plural?: string;
}

/** Returns a change of an object, by another writer unless `said` names the writer. Undefined stands for a missing object. */
export function stored(before: Stored['before'], after: Stored['after'], said: StoredSaid = {}): Stored {
  const { at = 0, ...rest } = said;
  const { namespace, name = '' } = (after ?? before)?.metadata ?? {};
  return {
    kind: 'stored',
    by: 'others',
    plural: 'services',
    loadBalancers: [],
    elasticAddresses: [],
    ...rest,
    key: (namespace === undefined ? name : `${namespace}/${name}`) as Stored['key'],
    atMs: EPOCH + at * 1_000,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

export const STARTED: Moment = { kind: 'started' };

/** Histories by a sentence that describes each. */
export type Told = Readonly<Record<string, History>>;

/** Adds a test for every history: those that keep the invariant, and those that violate it once. */
export function judges(
  invariant: Invariant,
  { keep, break: broken }: { readonly keep: Told; readonly break: Told },
  settings: Partial<RunSettings> = {},
): void {
  const check = (history: History): { readonly violations: readonly Violation[]; readonly count: number } => {
    let count = 0;
    const context: Context = { ...USUAL, ...settings, judged: () => (count += 1) };
    const violations = invariant.check(history, context);
    return { violations, count };
  };
  describe(`${invariant.name}: ${invariant.says}`, () => {
    for (const [sentence, history] of Object.entries(keep)) {
      it(`is kept if ${sentence}`, () => assert.deepEqual(check(history).violations, []));
    }
    for (const [sentence, history] of Object.entries(broken)) {
      it(`is broken if ${sentence}`, () => {
        const { violations, count } = check(history);
        const [first, ...more] = violations;
        assert.ok(count > 0, 'it says that it has judged nothing');
        assert.notEqual(first?.found, undefined);
        assert.deepEqual(more, []);
      });
    }
  });
}
