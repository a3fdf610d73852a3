import { called, withMetadata, testInvariant, stored } from '../../../support/invariants/history-builders.ts';
import { secretLeak } from '../../../support/invariants/invariants/secret-leak.ts';

const KEY = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');
const token = [{ alg: 'RS256' }, { sub: 'system:serviceaccount' }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');
const wrote = (text: string, by: 'controller' | 'others') =>
  stored(withMetadata(), withMetadata({ annotations: { input: text } }), { by });

const printed = (text: string) => ({ kind: 'printed', text }) as const;

/** A key in an event, a log or a call gives its readers access to the cloud. */
testInvariant(
  secretLeak,
  {
    keep: { 'a log line is harmless': [printed('leading')] },
    break: { 'an access key is in the log': [printed('{"msg":"the key xyzzy-secret was refused"}')] },
  },
  { secrets: ['xyzzy-secret'] },
);

testInvariant(secretLeak, {
  keep: {
    'a user stores a secret': [wrote(KEY, 'others')],
    'a text is harmless': [wrote('the certificate cert-1 has expired', 'controller')],
  },
  break: {
    'a key is stored': [wrote(KEY, 'controller')],
    'a token is in the log': [printed(`Authorization: Bearer ${token}.x`)],
    'a token is sent': called('SetLoadBalancerName', { parameters: { LoadBalancerName: `${token}.x` } }),
  },
});
