import assert from 'node:assert/strict';
import type { Manifest } from '../../support/manifests.ts';
import { covers, grantsOf } from '../../support/permission-usage/grants.ts';
import type { Request } from '../../support/permission-usage/requests.ts';

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
const request = (input: Partial<Request> = {}): Request => ({
  ...{ user: USER, verb: 'get', group: '', resource: 'configmaps', namespace: 'ours', name: 'facts' },
  ...input,
});
const READING = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };

/** The RBAC roles are compared with the used permissions, so the roles must be read as the API server reads them. */
describe('the permissions of roles', () => {
  it('are a permission for each kind and verb, and for each name', () => {
    const rules = [
      { apiGroups: [''], resources: ['services', 'pods'], verbs: ['list', 'watch'] },
      { ...READING, resourceNames: ['one', 'two'] },
    ];
    const permissions = grantsOf([role(rules), binding('ClusterRole')]).map(({ verb, resource, name = '' }) =>
      [verb, resource, name].join(' ').trim(),
    );
    assert.deepEqual(permissions, [
      ...['list services', 'watch services', 'list pods', 'watch pods'],
      ...['get configmaps one', 'get configmaps two'],
    ]);
  });

  it('are none without a binding', () => {
    assert.deepEqual(grantsOf([role([READING])]), []);
  });

  it('are in the namespace of the binding', () => {
    assert.throws(
      () => grantsOf([role([READING], 'theirs'), binding('Role', 'ours')]),
      /b binds r, which does not exist/,
    );
  });

  it('exclude non-resource URLs', () => {
    const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
    assert.throws(() => grantsOf([role(rules), binding('ClusterRole')]));
  });

  const everywhere = grantsOf([role([READING]), binding('ClusterRole')]);
  const inOurs = grantsOf([role([READING], 'ours'), binding('Role', 'ours')]);
  const byName = grantsOf([role([{ ...READING, resourceNames: ['facts'] }], 'ours'), binding('Role', 'ours')]);
  const cases: Readonly<
    Record<string, readonly [permissions: typeof everywhere, wanted: Request, isCovered: boolean]>
  > = {
    'cover the request': [everywhere, request(), true],
    'do not cover another verb': [everywhere, request({ verb: 'watch' }), false],
    'do not cover another kind': [everywhere, request({ resource: 'secrets' }), false],
    'do not cover a subresource': [everywhere, request({ resource: 'configmaps/status' }), false],
    'do not cover another group': [everywhere, request({ group: 'example.com' }), false],
    'do not cover another account': [everywhere, request({ user: 'system:serviceaccount:ours:controller' }), false],
    'cover their own namespace': [inOurs, request(), true],
    'do not cover another namespace': [inOurs, request({ namespace: 'theirs' }), false],
    'cover the name in the rule': [byName, request(), true],
    'do not cover another name': [byName, request({ name: 'secrets' }), false],
    'do not cover a creation with a name in the rule': [byName, request({ verb: 'create', name: '' }), false],
  };
  for (const [title, [permissions, wanted, isCovered]] of Object.entries(cases)) {
    it(title, () => {
      assert.equal(
        permissions.some((grant) => covers(grant, wanted)),
        isCovered,
      );
    });
  }
});
