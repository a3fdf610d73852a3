import assert from 'node:assert/strict';
import { canonicalQuery, contentHash, signAcs3, signRpc } from '../../../src/local/simulator/signature.ts';

const PARAMETERS: readonly (readonly [string, string])[] = [
  ['RegionId', 'cn-hangzhou'],
  ['LoadBalancerName', 'a b'],
  ['Tag.1.Key', 'k 1'],
  ['Tag.1.Value', "v+*~'()!/测"],
  ['Tag.2.Key', 'k2'],
  ['Tag.2.Value', ''],
];

/** A wrong signature check would accept clients that the cloud rejects. */
describe('the signature', () => {
  it('sorts and encodes a query by RFC 3986, with the equals sign of an empty value', () => {
    assert.equal(
      canonicalQuery(PARAMETERS),
      'LoadBalancerName=a%20b&RegionId=cn-hangzhou&Tag.1.Key=k%201' +
        '&Tag.1.Value=v%2B%2A~%27%28%29%21%2F%E6%B5%8B&Tag.2.Key=k2&Tag.2.Value=',
    );
  });

  it('matches a current client library for the newer scheme', () => {
    const signed = signAcs3(
      {
        method: 'POST',
        path: '/',
        query: PARAMETERS,
        headers: {
          host: 'slb.aliyuncs.com',
          'x-acs-action': 'CreateLoadBalancer',
          'x-acs-content-sha256': contentHash(''),
          'x-acs-date': '2026-01-02T03:04:05Z',
          'x-acs-signature-nonce': '0123456789abcdef0123456789abcdef',
          'x-acs-version': '2014-05-15',
        },
        signedHeaders: 'host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version'.split(
          ';',
        ),
        body: '',
      },
      'testsecret',
    );
    assert.equal(
      signed.stringToSign,
      'ACS3-HMAC-SHA256\n7df0bb663876f0416fa810489b9da3f98613964b20c69e4af8f1e9a95efbb7c9',
    );
    assert.equal(signed.signature, 'be47b93b8d371c4d64ac683f911ff9e39eade5471b39cf76a42940b9f3b1bfd9');
  });

  it('matches the published vector for the older scheme', () => {
    const envelope: readonly (readonly [string, string])[] = [
      ['Action', 'CreateLoadBalancer'],
      ['Version', '2014-05-15'],
      ['Format', 'JSON'],
      ['Timestamp', '2026-01-02T03:04:05Z'],
      ['SignatureNonce', '0123456789abcdef0123456789abcdef'],
      ['SignatureMethod', 'HMAC-SHA1'],
      ['SignatureVersion', '1.0'],
      ['AccessKeyId', 'testid'],
      ['Signature', 'is not part of what is signed'],
    ];
    assert.equal(signRpc('POST', [...PARAMETERS, ...envelope], 'testsecret').signature, '89/kE82HFhJagVgXdr2uwkiPaCI=');
  });

  it('hashes an empty body to the well-known value', () => {
    assert.match(contentHash(''), /^e3b0c442.*b855$/);
  });
});
