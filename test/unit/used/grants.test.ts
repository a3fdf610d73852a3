import assert from 'node:assert/strict';
import type { Manifest } from '../../support/manifests.ts';
import { covers, grantsOf } from '../../support/used/grants.ts';
import type { Request } from '../../support/used/requests.ts';

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const USER = 'system:serviceaccount:ours:webhook';

const role = (rules: readonly object[], namespace?: string): Manifest => ({
  ...RBAC,
  kind: namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: { name: 'r', ...(namespace === undefined ? {} : { namespace }) },
  rules,
});
const binding = (kind: 'ClusterRole' | 'Role', namespace?: string): Manifest => ({
  ...RBAC,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: 'b', ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'r' },
  subjects: [{ kind: 'ServiceAccount', namespace: 'ours', name: 'webhook' }],
});
const request = (said: Partial<Request> = {}): Request => ({
  ...{ user: USER, verb: 'get', group: '', resource: 'configmaps', namespace: 'ours', name: 'facts' },
  ...said,
});
const READING = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };

describe('what roles grant', () => {
  it('is a grant for each kind and verb, and for each name', () => {
    const rules = [
      { apiGroups: [''], resources: ['services', 'pods'], verbs: ['list', 'watch'] },
      { ...READING, resourceNames: ['one', 'two'] },
    ];
    const granted = grantsOf([role(rules), binding('ClusterRole')]).map(({ verb, resource, name = '' }) =>
      [verb, resource, name].join(' ').trim(),
    );
    assert.deepEqual(granted, [
      ...['list services', 'watch services', 'list pods', 'watch pods'],
      ...['get configmaps one', 'get configmaps two'],
    ]);
  });

  it('is nothing where nobody is bound to them', () => {
    assert.deepEqual(grantsOf([role([READING])]), []);
  });

  it('is looked for in the namespace of the binding', () => {
    assert.throws(
      () => grantsOf([role([READING], 'theirs'), binding('Role', 'ours')]),
      /b binds r, which is not there/,
    );
  });

  it('is not read where it is for what is no object', () => {
    const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
    assert.throws(() => grantsOf([role(rules), binding('ClusterRole')]));
  });

  const everywhere = grantsOf([role([READING]), binding('ClusterRole')]);
  const inOurs = grantsOf([role([READING], 'ours'), binding('Role', 'ours')]);
  const byName = grantsOf([role([{ ...READING, resourceNames: ['facts'] }], 'ours'), binding('Role', 'ours')]);
  const cases: Readonly<Record<string, readonly [granted: typeof everywhere, asked: Request, isCovered: boolean]>> = {
    'covers what is asked for': [everywhere, request(), true],
    'covers no other verb': [everywhere, request({ verb: 'watch' }), false],
    'covers no other kind': [everywhere, request({ resource: 'secrets' }), false],
    'covers no subresource': [everywhere, request({ resource: 'configmaps/status' }), false],
    'covers no other group': [everywhere, request({ group: 'example.com' }), false],
    'covers no other account': [everywhere, request({ user: 'system:serviceaccount:ours:controller' }), false],
    'covers its own namespace': [inOurs, request(), true],
    'covers no other namespace': [inOurs, request({ namespace: 'theirs' }), false],
    'covers the name that it is for': [byName, request(), true],
    'covers no other name': [byName, request({ name: 'secrets' }), false],
    'covers no creation where it is for a name': [byName, request({ verb: 'create', name: '' }), false],
  };
  for (const [sentence, [granted, asked, isCovered]] of Object.entries(cases)) {
    it(sentence, () => {
      assert.equal(
        granted.some((grant) => covers(grant, asked)),
        isCovered,
      );
    });
  }
});
