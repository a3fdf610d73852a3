import type { z } from 'zod';
import { errorBody, supportedValues, type FieldError } from '../base/field-error.ts';
import { nearest } from '../base/spelling-suggestion.ts';
import { pathOf } from './field-path.ts';
import { typeDetail } from './field-types.ts';

type Issue = z.core.$ZodIssue;

/** Returns the value at a path. */
export const valueAt = (object: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    object,
  );

/** The maximum number of values that a message lists. */
const MOST_LISTED = 12;

/** Returns the value for an error. Replaces a list or a map with its type, as the API server does. */
function shownOf(value: unknown): string | number {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  return typeof value === 'number' ? value : `${value as string | boolean}`;
}

function choiceDetail(value: unknown, values: readonly string[]): string {
  const near = typeof value === 'string' ? nearest(value, values) : undefined;
  const list = values.length > MOST_LISTED ? [] : [supportedValues(values)];
  if (near !== undefined) return [...list, `did you mean ${near}?`].join('; ');
  return list[0] ?? 'run portcullis explain to list the supported values';
}

/** The nouns for the parts of a string and of a list. */
const PARTS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function tooSmall({ origin, minimum }: z.core.$ZodIssueTooSmall): string {
  const part = PARTS[origin];
  if (part === undefined) return `must be at least ${minimum}`;
  return minimum === 1 ? 'must not be empty' : `must have at least ${minimum} ${part}`;
}

function tooBig({ origin, maximum }: z.core.$ZodIssueTooBig, value: unknown): FieldError {
  if (origin === 'string')
    return { reason: 'TooLong', value: '', detail: `may not be more than ${maximum} characters` };
  if (Array.isArray(value))
    return { reason: 'TooMany', value: value.length, detail: `must have at most ${maximum} items` };
  return { reason: 'Invalid', value: shownOf(value), detail: `must be at most ${maximum}` };
}

const lowered = (message: string): string => `${message.charAt(0).toLowerCase()}${message.slice(1)}`;

function detailOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeDetail(issue);
  if (issue.code === 'too_small') return tooSmall(issue);
  return issue.code === 'invalid_format' && issue.format === 'datetime'
    ? 'must be a date and time with a time zone, such as 2026-12-01T00:00:00Z'
    : lowered(issue.message);
}

/** Returns an issue of `zod` as the body of a Kubernetes field error. Keeps the message of a custom check. */
export function issueBody(issue: Issue, object: unknown): string {
  if (issue.code === 'custom') return issue.message;
  if (issue.code === 'unrecognized_keys') {
    const [, ...others] = issue.keys;
    const more = others.length === 0 ? '' : `; also unknown: ${others.join(', ')}`;
    return errorBody({ reason: 'Forbidden', value: '', detail: `unknown field${more}` });
  }
  const value = valueAt(object, issue.path);
  if (value === undefined || value === null) return errorBody({ reason: 'Required', value: '', detail: 'must be set' });
  if (issue.code === 'too_big') return errorBody(tooBig(issue, value));
  if (issue.code === 'invalid_value')
    return errorBody({
      reason: 'NotSupported',
      value: shownOf(value),
      detail: choiceDetail(value, issue.values.map(String)),
    });
  return errorBody({ reason: 'Invalid', value: shownOf(value), detail: detailOf(issue) });
}

/** Returns the field path of an issue. For an unknown field, the path includes the field. */
export const issuePath = (issue: Issue): string =>
  pathOf(issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path);
