import assert from 'node:assert/strict';
import { requestsIn } from '../../support/permission-usage/requests.ts';

const ACCOUNT = 'system:serviceaccount:portcullis-system:portcullis-controller';

interface LineInput {
  readonly user?: string;
  readonly agent?: string;
  readonly verb?: string;
  readonly ref?: object | undefined;
  readonly code?: number;
  readonly more?: object;
}

const line = (input: LineInput = {}): string =>
  `${JSON.stringify({
    kind: 'Event',
    stage: 'ResponseComplete',
    requestURI: '/asked/for',
    verb: input.verb ?? 'patch',
    user: { username: input.user ?? ACCOUNT, uid: 'u' },
    userAgent: input.agent ?? 'portcullis-controller/0.1.0',
    objectRef: 'ref' in input ? input.ref : { resource: 'services', namespace: 'shop', name: 'web', apiVersion: 'v1' },
    responseStatus: { code: input.code ?? 200 },
    ...input.more,
  })}\n`;

/** Returns the requests in short form. */
const found = (...lines: readonly string[]): readonly string[] =>
  requestsIn(lines.join('')).map(([{ verb, group, resource, namespace = '-', name = '-' }]) =>
    [verb, group === '' ? 'core' : group, resource, namespace, name].join(' '),
  );

/** The used permissions are read from the audit log, so the permission of a missed request would look superfluous. */
describe('the requests in an audit log', () => {
  const included: Readonly<Record<string, readonly [input: LineInput, found: string]>> = {
    'a request, with any name of the object': [{}, 'patch core services - -'],
    'a rejected request': [{ code: 403 }, 'patch core services - -'],
    'the subresource of a request': [
      { ref: { resource: 'services', subresource: 'status', namespace: 'shop', name: 'web' } },
      'patch core services/status - -',
    ],
    'the group of a kind': [
      { verb: 'watch', ref: { resource: 'loadbalancerpolicies', apiGroup: 'portcullis.io' } },
      'watch portcullis.io loadbalancerpolicies - -',
    ],
    'the name of an object whose permission is limited to names': [
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
  for (const [what, [input, expected]] of Object.entries(included)) {
    it(`include ${what}`, () => assert.deepEqual(found(line(input)), [expected]));
  }

  const ignored: Readonly<Record<string, string>> = {
    'of other accounts': line({ user: 'system:serviceaccount:kube-system:portcullis-controller' }),
    'of tests with a borrowed account': line({ agent: 'kubectl/v1.36.3' }),
    'of users that impersonate the account': line({ more: { impersonatedUser: { username: ACCOUNT } } }),
    'without an object': line({ ref: undefined }),
    'with an incomplete line': line().trim(),
  };
  for (const [what, text] of Object.entries(ignored)) {
    it(`exclude requests ${what}`, () => assert.deepEqual(found(text), []));
  }
});
