import assert from 'node:assert/strict';
import { requestsIn } from '../../support/used/requests.ts';

const ACCOUNT = 'system:serviceaccount:portcullis-system:portcullis-controller';

interface LineSaid {
  readonly user?: string;
  readonly agent?: string;
  readonly verb?: string;
  readonly ref?: object | undefined;
  readonly code?: number;
  readonly more?: object;
}

const line = (said: LineSaid = {}): string =>
  `${JSON.stringify({
    kind: 'Event',
    stage: 'ResponseComplete',
    requestURI: '/asked/for',
    verb: said.verb ?? 'patch',
    user: { username: said.user ?? ACCOUNT, uid: 'u' },
    userAgent: said.agent ?? 'portcullis-controller/0.1.0',
    objectRef: 'ref' in said ? said.ref : { resource: 'services', namespace: 'shop', name: 'web', apiVersion: 'v1' },
    responseStatus: { code: said.code ?? 200 },
    ...said.more,
  })}\n`;

/** Returns the requests in short form. */
const found = (...lines: readonly string[]): readonly string[] =>
  requestsIn(lines.join('')).map(([{ verb, group, resource, namespace = '-', name = '-' }]) =>
    [verb, group === '' ? 'core' : group, resource, namespace, name].join(' '),
  );

describe('what an audit log tells of our requests', () => {
  const told: Readonly<Record<string, readonly [said: LineSaid, found: string]>> = {
    'a request, whatever the object is called': [{}, 'patch core services - -'],
    'a request that was refused': [{ code: 403 }, 'patch core services - -'],
    'the subresource that is asked for': [
      { ref: { resource: 'services', subresource: 'status', namespace: 'shop', name: 'web' } },
      'patch core services/status - -',
    ],
    'the group of a kind': [
      { verb: 'watch', ref: { resource: 'loadbalancerpolicies', apiGroup: 'portcullis.io' } },
      'watch portcullis.io loadbalancerpolicies - -',
    ],
    'the name of what is granted by name': [
      {
        verb: 'update',
        ref: { resource: 'leases', apiGroup: 'coordination.k8s.io', namespace: 'kube-system', name: 'ccm' },
      },
      'update coordination.k8s.io leases kube-system ccm',
    ],
    'a request of the webhook': [
      { user: ACCOUNT.replace('controller', 'webhook'), agent: 'portcullis-webhook/0.1.0', verb: 'list' },
      'list core services - -',
    ],
  };
  for (const [what, [said, expected]] of Object.entries(told)) {
    it(`is ${what}`, () => assert.deepEqual(found(line(said)), [expected]));
  }

  const ignored: Readonly<Record<string, string>> = {
    'of other accounts': line({ user: 'system:serviceaccount:kube-system:portcullis-controller' }),
    'of tests that borrow an account': line({ agent: 'kubectl/v1.36.3' }),
    'of people who try what an account may': line({ more: { impersonatedUser: { username: ACCOUNT } } }),
    'for no object': line({ ref: undefined }),
    'of which the line is not yet whole': line().trim(),
  };
  for (const [what, text] of Object.entries(ignored)) {
    it(`is nothing of requests ${what}`, () => assert.deepEqual(found(text), []));
  }
});
