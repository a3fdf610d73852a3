import assert from 'node:assert/strict';
import { causeReason, errorBody, quoted, supportedValues, type FieldError } from '../../../src/base/field-error.ts';

/** Causes must read like those of Kubernetes, because kubectl and tools parse them. */
describe('the value of a field error', () => {
  const cases: Record<string, { value: string; shown: string }> = {
    'is quoted': { value: 'abc', shown: '"abc"' },
    'has its own quotation marks and backslashes escaped': { value: '"a\\"', shown: '"\\"a\\\\\\""' },
    'has line breaks and tabs as escapes': { value: 'a\n\tb\r', shown: '"a\\n\\tb\\r"' },
    'has other control characters as in Go': { value: '\0\u0007\b\v\f\u007f', shown: '"\\x00\\a\\b\\v\\f\\x7f"' },
    'has escape sequences of terminals escaped': { value: '\u001b[31m\u009b', shown: '"\\x1b[31m\\u009b"' },
    'has characters that change the direction of text escaped': {
      value: 'a\u202eb\u2066',
      shown: '"a\\u202eb\\u2066"',
    },
    'has invisible characters escaped': { value: 'a\u200bb\ufeff', shown: '"a\\u200bb\\ufeff"' },
    'has unusual spaces escaped': { value: 'a\u00a0b\u3000', shown: '"a\\u00a0b\\u3000"' },
    'has a private character beyond the basic plane escaped': { value: 'a\u{f0000}', shown: '"a\\U000f0000"' },
    'has a replacement for half a character': { value: 'a\ud800', shown: '"a\ufffd"' },
    'keeps letters of every script': { value: 'größe 中文', shown: '"größe 中文"' },
    'is truncated at 128 characters': { value: 'x'.repeat(500), shown: `"${'x'.repeat(128)}…"` },
    'of 128 characters is whole': { value: 'x'.repeat(128), shown: `"${'x'.repeat(128)}"` },
    'of 128 surrogate pairs is whole': { value: '😀'.repeat(128), shown: `"${'😀'.repeat(128)}"` },
    'hides the id of an access key': { value: 'LTAI5tAbCdEfGhIjKlMnOpQr', shown: '"***"' },
    'hides the secret of an access key': { value: 'ak: aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1', shown: '"ak: ***"' },
    'hides a temporary access key': { value: 'STS.NTabc123DEF456', shown: '"***"' },
    'hides a token': { value: `Bearer eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(60)}.sig-na_ture`, shown: '"Bearer ***"' },
    'hides a private key': { value: '-----BEGIN RSA PRIVATE KEY-----\nMIIE', shown: '"***"' },
    'contains an id as long as a secret': {
      value: 'acl0bp1l6c13odi17z4imhzmxu6de2',
      shown: '"acl0bp1l6c13odi17z4imhzmxu6de2"',
    },
    'contains the id of a certificate': {
      value: '1231579085529123_15dbf6ff26f_1991415478_2054196746',
      shown: '"1231579085529123_15dbf6ff26f_1991415478_2054196746"',
    },
    'hides a secret across the position of truncation': {
      value: `${'x '.repeat(55)}aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1`,
      shown: `"${'x '.repeat(55)}***"`,
    },
    'is not truncated inside a character': { value: '😀'.repeat(200), shown: `"${'😀'.repeat(128)}…"` },
  };
  for (const [title, { value, shown }] of Object.entries(cases)) {
    it(title, () => assert.equal(quoted(value), shown));
  }
});

describe('a field error', () => {
  const rows: Readonly<Record<string, readonly [error: FieldError, reason: string, body: string]>> = {
    'of an invalid value quotes the value': [
      { reason: 'Invalid', value: '9000', detail: 'must be at most 900' },
      'FieldValueInvalid',
      'Invalid value: "9000": must be at most 900',
    ],
    'of a number has no quotation marks': [
      { reason: 'Invalid', value: 70_000, detail: 'must be a port' },
      'FieldValueInvalid',
      'Invalid value: 70000: must be a port',
    ],
    'of an unsupported value lists the supported values': [
      { reason: 'NotSupported', value: 'x', detail: supportedValues(['on', 'off']) },
      'FieldValueNotSupported',
      'Unsupported value: "x": supported values: "on", "off"',
    ],
    'of a value that does not exist quotes the value': [
      { reason: 'NotFound', value: 'lb-1', detail: 'no such load balancer' },
      'FieldValueNotFound',
      'Not found: "lb-1": no such load balancer',
    ],
    'of a duplicate value quotes the value': [
      { reason: 'Duplicate', value: '80/TCP', detail: 'already used' },
      'FieldValueDuplicate',
      'Duplicate value: "80/TCP": already used',
    ],
    'of an invalid value that is not set has the reason Required': [
      { reason: 'Invalid', value: '', detail: 'must be intranet' },
      'FieldValueRequired',
      'Required value: must be intranet',
    ],
    'of a required value does not print the value': [
      { reason: 'Required', value: 'x', detail: 'must be set' },
      'FieldValueRequired',
      'Required value: must be set',
    ],
    'of a forbidden value does not print the value': [
      { reason: 'Forbidden', value: 'x', detail: 'may not be set' },
      'FieldValueForbidden',
      'Forbidden: may not be set',
    ],
    'of a long value does not print the value': [
      { reason: 'TooLong', value: 'x', detail: 'may not be more than 80 bytes' },
      'FieldValueTooLong',
      'Too long: may not be more than 80 bytes',
    ],
    'without a detail ends with the value': [
      { reason: 'Invalid', value: 'x', detail: '' },
      'FieldValueInvalid',
      'Invalid value: "x"',
    ],
    'of a long list has the number of items': [
      { reason: 'TooMany', value: 19, detail: 'must have at most 18 items' },
      'FieldValueTooMany',
      'Too many: 19: must have at most 18 items',
    ],
    'of a list of unknown length has no number': [
      { reason: 'TooMany', value: '', detail: 'must have at most 18 items' },
      'FieldValueTooMany',
      'Too many: must have at most 18 items',
    ],
  };
  for (const [what, [error, reason, body]] of Object.entries(rows)) {
    it(what, () => assert.deepEqual([causeReason(error), errorBody(error)], [reason, body]));
  }
});
