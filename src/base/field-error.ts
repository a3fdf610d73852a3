import { withoutCredentials } from './credential-mask.ts';
import { cutToCharacters } from './cut-text.ts';

/** The titles of field errors in `k8s.io/apimachinery/pkg/util/validation/field`, by reason without the prefix `FieldValue`. */
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

/** The violation of a field, without the field's name. The form matches field errors of the API server. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** The value that the user wrote; empty if there is none. Messages print numbers without quotes. */
  readonly value: string | number;
  readonly detail: string;
}

/** The reasons whose messages do not contain the value. */
const WITHOUT_VALUE: ReadonlySet<FieldErrorReason> = new Set(['Required', 'Forbidden', 'TooLong']);
/** The reasons that become `Required` if the value is empty. */
const REQUIRED_IF_EMPTY: ReadonlySet<FieldErrorReason> = new Set(['Invalid', 'NotSupported', 'NotFound', 'Duplicate']);

const effectiveReason = ({ reason, value }: Pick<FieldError, 'reason' | 'value'>): FieldErrorReason =>
  value === '' && REQUIRED_IF_EMPTY.has(reason) ? 'Required' : reason;

/** Returns the reason of a status cause, such as `FieldValueInvalid`. */
export const causeReason = (error: Pick<FieldError, 'reason' | 'value'>): string =>
  `FieldValue${effectiveReason(error)}`;

/**
 * Returns the message of a violation, as `ErrorBody` of `field.Error` in Kubernetes prints it. Masks credentials in the value, but not in the detail.
 */
export function errorBody(error: FieldError): string {
  const reason = effectiveReason(error);
  const title = TITLES[reason];
  const detail = error.detail === '' ? '' : `: ${error.detail}`;
  if (WITHOUT_VALUE.has(reason) || error.value === '') return `${title}${detail}`;
  return `${title}: ${typeof error.value === 'number' ? error.value : quoted(error.value)}${detail}`;
}

/** The maximum length of a printed value, in characters. */
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

/** Quotes a value as Go's `%q` does, after shortening it to 128 characters and masking credentials. */
export function quoted(value: string): string {
  const short = cutToCharacters(withoutCredentials(value), VALUE_LIMIT);
  return HARMLESS.test(short) ? `"${short}"` : `"${short.toWellFormed().replace(ESCAPED, escaped)}"`;
}

/** Returns the detail of an unsupported value, as `field.NotSupported` in Kubernetes writes it. */
export const supportedValues = (values: readonly string[]): string =>
  `supported values: ${values.map(quoted).join(', ')}`;
