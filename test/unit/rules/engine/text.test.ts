import assert from 'node:assert/strict';
import { plain, quoted } from '../../../../src/rules/engine/text.ts';

describe("a user's value in a message", () => {
  const cases: Record<string, { value: string; shown: string }> = {
    'stands in quotes': { value: 'abc', shown: '"abc"' },
    'shows its own quotes and backslashes': { value: '"a\\"', shown: '"\\"a\\\\\\""' },
    'shows line breaks and tabs as escapes': { value: 'a\n\tb\r', shown: '"a\\u000a\\u0009b\\u000d"' },
    'shows escape sequences of terminals': { value: '\u001b[31m\u009b', shown: '"\\u001b[31m\\u009b"' },
    'shows what turns the direction of text': { value: 'a\u202eb\u2066', shown: '"a\\u202eb\\u2066"' },
    'shows what is invisible': { value: 'a\u200bb\ufeff', shown: '"a\\u200bb\\ufeff"' },
    'shows half a character': { value: 'a\ud800', shown: '"a\\ud800"' },
    'keeps letters of every script': { value: 'größe 中文', shown: '"größe 中文"' },
    'is cut at 128 characters': { value: 'x'.repeat(500), shown: `"${'x'.repeat(128)}…"` },
    'of 128 characters is whole': { value: 'x'.repeat(128), shown: `"${'x'.repeat(128)}"` },
    'of 128 surrogate pairs is whole': { value: '😀'.repeat(128), shown: `"${'😀'.repeat(128)}"` },
    'hides the id of an access key': { value: 'LTAI5tAbCdEfGhIjKlMnOpQr', shown: '"***"' },
    'hides the secret of an access key': { value: 'ak: aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1', shown: '"ak: ***"' },
    'hides a temporary access key': { value: 'STS.NTabc123DEF456', shown: '"***"' },
    'hides a token': { value: `Bearer eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(60)}.sig-na_ture`, shown: '"Bearer ***"' },
    'hides a private key': { value: '-----BEGIN RSA PRIVATE KEY-----\nMIIE', shown: '"***"' },
    'shows an id as long as a secret': {
      value: 'acl0bp1l6c13odi17z4imhzmxu6de2',
      shown: '"acl0bp1l6c13odi17z4imhzmxu6de2"',
    },
    'shows the id of a certificate': {
      value: '1231579085529123_15dbf6ff26f_1991415478_2054196746',
      shown: '"1231579085529123_15dbf6ff26f_1991415478_2054196746"',
    },
    'hides what stands across the cut': {
      value: `${'x '.repeat(55)}aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1`,
      shown: `"${'x '.repeat(55)}***"`,
    },
    'is not cut inside a character': { value: '😀'.repeat(200), shown: `"${'😀'.repeat(128)}…"` },
  };
  for (const [sentence, { value, shown }] of Object.entries(cases)) {
    it(sentence, () => assert.equal(quoted(value), shown));
  }

  it('as plain text is cut as short as is asked for, however often', () => {
    for (const [limit, shown] of [
      [400, 'abcd'],
      [2, 'ab…'],
      [4, 'abcd'],
    ] as const)
      assert.equal(plain('abcd', limit), shown);
  });

  it('as plain text stays on one line', () => assert.equal(plain('a\nb"c'), 'a\\u000ab"c'));
});
