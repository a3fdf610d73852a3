import { withoutCredentials } from './credentials.ts';
import { cutToCharacters } from './cut.ts';

/** The titles of field errors in `k8s.io/apimachinery/pkg/util/validation/field`, by the end of their reason. */
const TITLES = {
  Invalid: 'Invalid value',
  NotSupported: 'Unsupported value',
  Required: 'Required value',
  Forbidden: 'Forbidden',
  Duplicate: 'Duplicate value',
  NotFound: 'Not found',
  TooLong: 'Too long',
  TooMany: 'Too many',
} as const;

export type FieldErrorReason = keyof typeof TITLES;

/** An error of a field, without the field. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** The value as the user wrote it; empty if nothing is set. A number is printed without quotes. */
  readonly value: string | number;
  readonly detail: string;
}

/** The errors that Kubernetes prints without the value. */
const WITHOUT_VALUE: ReadonlySet<FieldErrorReason> = new Set(['Required', 'Forbidden', 'TooLong']);
/** The errors that become `Required` if nothing is set. */
const OF_A_VALUE: ReadonlySet<FieldErrorReason> = new Set(['Invalid', 'NotSupported', 'NotFound', 'Duplicate']);

const effectiveReason = ({ reason, value }: Pick<FieldError, 'reason' | 'value'>): FieldErrorReason =>
  value === '' && OF_A_VALUE.has(reason) ? 'Required' : reason;

/** Returns the reason of a status cause, such as `FieldValueInvalid`. */
export const causeReason = (error: Pick<FieldError, 'reason' | 'value'>): string =>
  `FieldValue${effectiveReason(error)}`;

/** Returns the text that `ErrorBody` of Kubernetes' `field.Error` prints. The detail must be safe to print. */
export function errorBody(error: FieldError): string {
  const reason = effectiveReason(error);
  const title = TITLES[reason];
  const detail = error.detail === '' ? '' : `: ${error.detail}`;
  if (WITHOUT_VALUE.has(reason) || error.value === '') return `${title}${detail}`;
  return `${title}: ${typeof error.value === 'number' ? error.value : quoted(error.value)}${detail}`;
}

/** The longest value that is printed whole, in characters. */
const VALUE_LIMIT = 128;

const HARMLESS = /^[ !#-[\]-~]*$/;
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return SHORT[character] ?? `\\x${hex.padStart(2, '0')}`;
  return SHORT[character] ?? (code < 0x1_00_00 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`);
}

/** Quotes a value as Go's `%q` does. Cuts the value to 128 characters first, and hides credentials. */
export function quoted(value: string): string {
  const short = cutToCharacters(withoutCredentials(value), VALUE_LIMIT);
  return HARMLESS.test(short) ? `"${short}"` : `"${short.toWellFormed().replace(ESCAPED, escaped)}"`;
}

/** Returns the detail of an unsupported value, as `field.NotSupported` of Kubernetes writes it. */
export const supportedValues = (values: readonly string[]): string =>
  `supported values: ${values.map(quoted).join(', ')}`;
