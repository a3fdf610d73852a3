import type { Random } from './random.ts';
import { HOSTILE_TEXTS } from './values.ts';

/** The JSON of managed fields (`fieldsV1`) that a user wrote, by placeholder. The API server keeps its bytes and repeats them in every review. */
const RAW: Readonly<Record<string, Buffer>> = {
  '@bytes@': Buffer.concat([
    Buffer.from('{"f:'),
    Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
    Buffer.from('":{}}'),
  ]),
  '@half-character@': Buffer.from('{"f:\\ud800":{},"f:metadata":{"f:annotations":{"f:\\udc00":{}}}}'),
  '@deep@': Buffer.from(`${'{"f:a":'.repeat(5_000)}{}${'}'.repeat(5_000)}`),
  '@equal-keys@': Buffer.from('{"f:metadata":null,"f:metadata":{"f:annotations":[]},"__proto__":{"a":1}}'),
  '@escapes@': Buffer.from(`{"f:metadata":{"f:annotations":{"f:<&>\u2028":{}}},"f:b":"<"}`),
  '@large-number@': Buffer.from('{"f:a":1e999,"f:b":-0.0e-400,"f:c":123456789012345678901234567890}'),
};
const PLACEHOLDERS = Object.keys(RAW) as [string, ...string[]];

/** Replaces invalid characters, which Go writes as U+FFFD. */
const wellFormed = (_name: string, value: unknown): unknown => {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), member]));
};

const unicodeEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Encodes a review as the API server does with `encoding/json` of Go, which copies raw JSON and escapes `<`, `>` and `&` everywhere. */
export function encode(review: object): Buffer {
  const text = Buffer.from(JSON.stringify(review, wellFormed)).toString('latin1');
  const bytes = text
    .replaceAll(/"(@[a-z-]+@)"/g, (placeholder, name: string) => RAW[name]?.toString('latin1') ?? placeholder)
    .replaceAll(/[<>&]/g, unicodeEscape)
    .replaceAll('\u00e2\u0080\u00a8', '\\u2028')
    .replaceAll('\u00e2\u0080\u00a9', '\\u2029');
  return Buffer.from(bytes, 'latin1');
}

const MANAGERS = ['kubectl-client-side-apply', 'kubectl-edit', 'helm', ''] as const;
/** The API server writes a zero time as null. */
const TIMES = [null, '2026-01-01T00:00:00Z', '0001-01-01T00:00:00Z'] as const;

function managedFields(random: Random): object[] {
  return Array.from({ length: random.below(4) }, () => ({
    manager: random.pick([...MANAGERS, ...HOSTILE_TEXTS]),
    operation: random.pick(['Apply', 'Update', '']),
    apiVersion: 'v1',
    time: random.pick(TIMES),
    fieldsType: 'FieldsV1',
    fieldsV1: random.pick([null, {}, [], 1, 'text', { 'f:metadata': { 'f:annotations': {} } }, ...PLACEHOLDERS]),
    ...(random.oneIn(4) ? { subresource: 'status' } : {}),
  }));
}

interface Stored {
  readonly metadata?: object;
}

/** Adds members that users can store in an object and that no rule reads. */
export function withOddParts<Object extends Stored>(random: Random, object: Object): Object {
  const text = random.pick(HOSTILE_TEXTS);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      creationTimestamp: random.pick(TIMES),
      managedFields: managedFields(random),
      ...(random.oneIn(2) ? { ownerReferences: [{ apiVersion: text, kind: text, name: text, uid: text }] } : {}),
      ...(random.oneIn(8) ? { deletionTimestamp: null } : {}),
    },
    status: {
      loadBalancer: {},
      conditions: [{ type: 'a/b', status: 'True', lastTransitionTime: null, reason: '', message: text }],
    },
  };
}

/** Returns a review with the optional members that the API server may send. */
export function withOddRequest<Request extends object>(random: Random, request: Request): Request {
  const text = random.pick(HOSTILE_TEXTS);
  return {
    ...request,
    userInfo: random.pick([
      {},
      { username: text, uid: text, groups: [text, ''], extra: { [text]: [text], 'a/b': null } },
    ]),
    ...(random.oneIn(2) ? { dryRun: random.oneIn(2) } : {}),
  };
}
