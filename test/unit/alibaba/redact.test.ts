import assert from 'node:assert/strict';
import { redact } from '../../../src/alibaba/redact.ts';

const SECRET = 'wJalrXUtnFEMI/K7+bPxRfi=';
const cases = {
  'a known secret, in any position': `it was ${SECRET}, it seems`,
  'a known secret, percent-encoded': `Key=${encodeURIComponent(SECRET)}`,
  'a signed URL': 'POST https://slb.aliyuncs.com/?Action=X&Signature=abcdef123456&AccessKeyId=LTAI0000abcd failed.',
  'the pairs of a query': 'AccessKeyId=testid0001&Signature=abcdef123456&SecurityToken=CAISabcdef',
  'a string to sign, encoded once': 'POST&%2F&AccessKeyId%3Dtestid0001%26SecurityToken%3DCAISabcdef%26Timestamp%3D2026',
  'a string to sign, encoded twice': 'AccessKeyId%253Dtestid0001%2526SecurityToken%253DCAISabcdef%2526Version',
  'an Authorization header': 'ACS3-HMAC-SHA256 Credential=testid0001,SignedHeaders=host,Signature=abcdef123456',
  'a document with a temporary key':
    '{"AccessKeyId": "testid0001", "AccessKeySecret": "abcdef123456", "SecurityToken":"CAISabcdef"}',
  'a text in the form of a key id': 'the key LTAI5tQnKxxxxtestid0001 is not known, nor STS.NUtestid0001',
};
const LEAKS = [SECRET, encodeURIComponent(SECRET), 'testid0001', 'abcdef123456', 'CAISabcdef', 'LTAI0000abcd'];

/** The cloud quotes requests in errors. Without redaction, keys would reach logs and events. */
describe('redaction', () => {
  for (const [what, text] of Object.entries(cases)) {
    it(`removes ${what}`, () => {
      const clean = redact(text, [SECRET]);
      assert.match(clean, /\[redacted\]/);
      assert.deepEqual(
        LEAKS.filter((leak) => clean.includes(leak)),
        [],
      );
    });
  }

  it('keeps the useful parts of a text', () => {
    const text =
      'CreateLoadBalancer: The specified parameter VSwitchId=vsw-1 is not valid, see https://help.aliyun.com/slb';
    assert.equal(redact(text, ['', 'ab']), text);
  });

  it('is fast on a hostile text', () => {
    const text = 'AccessKeyId%3D'.repeat(50_000) + 'https://a?'.repeat(50_000);
    const since = process.cpuUsage();
    assert.ok(redact(text).length > 0);
    assert.ok(process.cpuUsage(since).user < 1_000_000, 'takes less than a second of processor time');
  });
});
