import { z } from 'zod';
import { objectKey, type KubernetesObject } from '../../../src/base/kubernetes-objects.ts';
import type { StoredChange, EmittedEvent } from '../kubernetes-double.ts';

const text = z.string().default('');
const json = z.record(z.string(), z.unknown());

const Entry = z.object({
  stage: text,
  verb: text,
  requestURI: text,
  user: z.object({ username: text }),
  userAgent: text,
  objectRef: z.object({ resource: text, namespace: z.string().optional(), name: text }).optional(),
  responseStatus: z.object({ code: z.number().default(0) }).optional(),
  requestObject: z.union([json, z.array(z.unknown())]).optional(),
  responseObject: json.optional(),
  requestReceivedTimestamp: text,
});
type Entry = z.output<typeof Entry>;

const EVENT = z.object({
  reason: text,
  message: z.string().optional(),
  note: z.string().optional(),
  type: z.enum(['Normal', 'Warning']).default('Normal'),
  involvedObject: json.optional(),
  regarding: json.optional(),
});
const Target = z.object({
  apiVersion: text,
  kind: text,
  name: text,
  namespace: z.string().optional(),
  uid: text,
});

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** A change of an object, or an event of the controller, in an audit log. */
export interface Audited {
  /** Earliest possible time, in milliseconds since the epoch with a fraction. */
  readonly atMs: number;
  /** The user name as the API server reports it. */
  readonly user: string;
  readonly happened: ({ readonly kind: 'stored' } & StoredChange) | ({ readonly kind: 'emitted' } & EmittedEvent);
}

/** The user and program of the controller. */
export interface Author {
  /** The user name as the API server reports it. */
  readonly user: string;
  /** The prefix of the user agent. Distinguishes programs with the same account. */
  readonly agent: string;
}

export const CONTROLLER: Author = {
  user: 'system:serviceaccount:portcullis-system:portcullis-controller',
  agent: 'portcullis-controller/',
};

/** Returns milliseconds since the epoch, including the microseconds that `Date` drops. */
export function millisecondsOf(timestamp: string): number {
  const micros = /\.\d{3}(\d{1,3})Z$/.exec(timestamp)?.[1] ?? '0';
  return Date.parse(timestamp) + Number(`0.${micros.padEnd(3, '0')}`);
}

const isObject = (value: Entry['responseObject']): boolean => value !== undefined && value['kind'] !== 'Status';

/** Returns whether a deletion removed the object, which then had no finalizers. */
function isRemoved(verb: string, { metadata }: KubernetesObject): boolean {
  const { finalizers = [], deletionTimestamp } = metadata;
  return finalizers.length === 0 && (verb.startsWith('delete') || deletionTimestamp !== undefined);
}

/** A write before its previous object is known. */
interface Written {
  readonly atMs: number;
  readonly user: string;
  /** Revision of the store. Undefined if the response does not contain it. */
  readonly revision: number | undefined;
  readonly by: StoredChange['by'];
  readonly plural: string;
  readonly key: StoredChange['key'];
  readonly after: KubernetesObject | undefined;
  /** True if the log contains complete objects of this kind. */
  readonly isWhole: boolean;
}

function writtenIn(entry: Entry, by: StoredChange['by']): readonly Written[] {
  const { verb, objectRef, responseObject } = entry;
  if (objectRef === undefined) return [];
  const atMs = millisecondsOf(entry.requestReceivedTimestamp);
  const shared = { atMs, user: entry.user.username, by, plural: objectRef.resource };
  const items = responseObject?.['items'];
  const objects = Array.isArray(items) ? items : isObject(responseObject) ? [responseObject] : [];
  if (objects.length === 0) {
    const key = objectKey(objectRef.name, objectRef.namespace);
    return [{ ...shared, revision: undefined, key, after: undefined, isWhole: responseObject !== undefined }];
  }
  return objects.map((item: unknown) => {
    const object = item as KubernetesObject;
    const { name, namespace, resourceVersion } = object.metadata;
    const isDeleted = isRemoved(verb, object);
    return {
      ...shared,
      // The response of a removal may contain any earlier revision.
      revision: isDeleted ? undefined : Number(resourceVersion),
      key: objectKey(name, namespace),
      after: isDeleted ? undefined : object,
      isWhole: true,
    };
  });
}

/**
 * Returns the earliest request of each revision. A later request with the same revision changed nothing, so its response shows the earlier object.
 */
function firstOfRevision(written: readonly Written[]): readonly Written[] {
  const first = new Map<string, Written>();
  for (const one of written) {
    const name = `${one.plural} ${one.key} ${one.revision}`;
    if (one.atMs < (first.get(name)?.atMs ?? Infinity)) first.set(name, one);
  }
  return [...first.values()];
}

/** Sorts by revision where known. A revision is dated no earlier than the requests of all lower revisions. */
function inOrder(written: readonly Written[]): readonly Written[] {
  const dated: Written[] = [];
  let atMs = 0;
  for (const one of firstOfRevision(written.filter(({ revision }) => revision !== undefined)).toSorted(
    (left, right) => (left.revision ?? 0) - (right.revision ?? 0),
  )) {
    atMs = Math.max(atMs, one.atMs);
    dated.push({ ...one, atMs });
  }
  const undated = written.filter(({ revision }) => revision === undefined);
  return [...dated, ...undated].toSorted((left, right) => left.atMs - right.atMs);
}

function changes(written: readonly Written[]): readonly Audited[] {
  const objects = new Map<string, KubernetesObject>();
  return inOrder(written).flatMap(({ atMs, user, by, plural, key, after, isWhole }) => {
    const path = `${plural} ${key}`;
    const before = objects.get(path);
    if (isWhole && after === undefined && before === undefined) return [];
    if (after === undefined) objects.delete(path);
    else objects.set(path, after);
    const both = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    return [{ atMs, user, happened: { kind: 'stored', by, plural, key, ...both } }];
  });
}

function eventsIn({ requestObject, responseObject, requestReceivedTimestamp, user }: Entry): readonly Audited[] {
  const parsed = EVENT.safeParse(isObject(responseObject) ? responseObject : requestObject).data;
  const target = Target.safeParse(parsed?.involvedObject ?? parsed?.regarding).data;
  if (parsed === undefined || target === undefined) return [];
  const { reason, type, message = parsed.note ?? '' } = parsed;
  const { namespace, ...rest } = target;
  const event = { reason, type, message, target: { ...rest, ...(namespace === undefined ? {} : { namespace }) } };
  const atMs = millisecondsOf(requestReceivedTimestamp);
  return [{ atMs, user: user.username, happened: { kind: 'emitted', ...event } }];
}

/** Returns whether a request is an empty patch. It writes nothing, although its response can contain a write of another client. */
const isEmptyPatch = ({ verb, requestObject }: Entry): boolean =>
  verb === 'patch' && requestObject !== undefined && Object.keys(requestObject).length === 0;

const isDone = ({ stage, verb, requestURI, responseStatus }: Entry): boolean =>
  stage === 'ResponseComplete' &&
  WRITES.has(verb) &&
  !requestURI.includes('dryRun=') &&
  (responseStatus?.code ?? 0) >= 200 &&
  (responseStatus?.code ?? 0) < 300;

/** Returns all changes in an audit log, and the events of the controller, in order. The log must begin before the first write. */
export function readAuditLog(log: string, author: Author = CONTROLLER): readonly Audited[] {
  // Ignores an incomplete last line.
  const lines = log.slice(0, log.lastIndexOf('\n') + 1).split('\n');
  const written: Written[] = [];
  const events: Audited[] = [];
  for (const line of lines) {
    if (!/"verb":"(?:create|update|patch|delete|deletecollection)"/.test(line)) continue;
    const entry = Entry.parse(JSON.parse(line));
    if (!isDone(entry) || isEmptyPatch(entry)) continue;
    const isController = entry.user.username === author.user && entry.userAgent.startsWith(author.agent);
    if (entry.objectRef?.resource !== 'events')
      written.push(...writtenIn(entry, isController ? 'controller' : 'others'));
    else if (isController && !entry.verb.startsWith('delete')) events.push(...eventsIn(entry));
  }
  return [...changes(written), ...events].toSorted((left, right) => left.atMs - right.atMs);
}
