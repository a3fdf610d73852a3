import assert from 'node:assert/strict';
import type { BindingRecord } from '../../../src/controller/service/state/binding-record.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { objectKey, type Service } from '../../../src/base/kubernetes-objects.ts';
import { aService, type ServiceInput } from '../service.ts';
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
import { USUAL } from './history-check.ts';
import { CLUSTER_TAG, FINALIZER, OWNER_TAG, ownerMark } from './ownership.ts';

const EPOCH = Date.parse('2026-01-01T00:00:00Z');

/** The metadata of a Service right before the first call. */
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
  input: StoredInput = {},
): Stored => ({
  ...stored(before && aBinding(before), after && aBinding(after), { by: 'controller', ...input }),
  plural: LOAD_BALANCER_BINDINGS.plural,
  key: objectKey(UID),
});

/** Returns a Service with this metadata, such as the finalizer (`BEGUN`). */
export function withMetadata(metadata: object = {}, input: ServiceInput = {}): Service {
  const service = aService(input);
  return { ...service, metadata: { ...service.metadata, ...metadata } };
}

export const OWNER = ownerMark(aService().metadata.uid);

/** Returns the load balancer of `aService()`. The parameter adds listeners, groups and tags. */
export const aPicture = (input: Partial<LoadBalancerPicture> = {}): LoadBalancerPicture => ({
  id: 'lb-1',
  name: OWNER,
  address: '47.0.0.1',
  tags: { [OWNER_TAG]: OWNER, [CLUSTER_TAG]: 'c1' },
  listeners: [],
  groups: [],
  ...input,
});

/** Picture of a user-managed load balancer. */
export const USER_MANAGED = { id: 'lb-hers', name: 'by-hand', tags: {} } as const;

export interface CallInput {
  readonly n?: number;
  /** Seconds since the start. */
  readonly at?: number;
  readonly userAgent?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly outcome?: string;
  readonly fault?: string;
  readonly missing?: readonly string[];
  readonly target?: LoadBalancerPicture;
  /** The state after the call. Defaults to the state before. */
  readonly after?: LoadBalancerPicture;
  readonly siblings?: readonly string[];
  readonly subject?: string;
}

const timeAt = (seconds: number): string => new Date(EPOCH + seconds * 1_000).toISOString();

function entryOf(action: string, { n = 1, at = 0, target, ...input }: CallInput): JournalEntry {
  const subject = input.subject ?? target?.id;
  return {
    n,
    time: timeAt(at),
    userAgent: input.userAgent ?? 'portcullis',
    product: 'Slb',
    action,
    kind: action.startsWith('Describe') ? 'read' : 'write',
    parameters: input.parameters ?? {},
    requestId: '',
    finished: timeAt(at),
    outcome: input.outcome ?? 'OK',
    ...(subject === undefined ? {} : { subject }),
    ...(input.fault === undefined ? {} : { fault: input.fault }),
    ...(input.missing === undefined ? {} : { missing: input.missing }),
  };
}

/** Returns a call that has not ended. */
export const sent = (action: string, input: CallInput = {}): Sent => ({
  kind: 'sent',
  call: entryOf(action, input),
  ...(input.target === undefined ? {} : { target: input.target }),
});

/** Returns a call and its end. */
export function called(action: string, input: CallInput = {}): readonly Moment[] {
  const first = sent(action, input);
  const target = input.after ?? input.target;
  return [
    first,
    {
      kind: 'ended',
      call: first.call,
      ...(target === undefined ? {} : { target }),
      ...(input.siblings === undefined ? {} : { siblings: input.siblings }),
    },
  ];
}

export interface StoredInput extends Partial<Pick<Stored, 'by' | 'loadBalancers' | 'elasticAddresses' | 'node'>> {
  readonly at?: number;
  readonly plural?: string;
}

/** Returns a change of an object, by default by another writer than the controller. Undefined stands for a missing object. */
export function stored(before: Stored['before'], after: Stored['after'], input: StoredInput = {}): Stored {
  const { at = 0, ...rest } = input;
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

/** Histories by the condition in which they occur, as the end of a test title. */
export type Cases = Readonly<Record<string, History>>;

/** Tests an invariant, for `test/unit/invariants`. The histories in `keep` satisfy the invariant, and those in `break` violate it once. */
export function testInvariant(
  invariant: Invariant,
  { keep, break: broken }: { readonly keep: Cases; readonly break: Cases },
  settings: Partial<RunSettings> = {},
): void {
  const check = (history: History): { readonly violations: readonly Violation[]; readonly count: number } => {
    let count = 0;
    const context: Context = { ...USUAL, ...settings, evaluated: () => (count += 1) };
    const violations = invariant.check(history, context);
    return { violations, count };
  };
  describe(`${invariant.name}: ${invariant.statement}`, () => {
    for (const [title, history] of Object.entries(keep)) {
      it(`is kept if ${title}`, () => assert.deepEqual(check(history).violations, []));
    }
    for (const [title, history] of Object.entries(broken)) {
      it(`is broken if ${title}`, () => {
        const { violations, count } = check(history);
        const [first, ...more] = violations;
        assert.ok(count > 0, 'the invariant evaluated no moment');
        assert.notEqual(first?.found, undefined);
        assert.deepEqual(more, []);
      });
    }
  });
}
