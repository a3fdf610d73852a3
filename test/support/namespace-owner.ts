import type { TestControlPlane } from './control-plane.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** Labels of the roles that the roles `admin`, `edit` and `view` are gathered from. */
const GATHERED = /^rbac\.authorization\.k8s\.io\/aggregate-to-(?:admin|edit|view)$/;

interface Roles {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  }[];
}

/**
 * Gives somebody in a namespace, or in all, everything that the role `admin` would have: kube-controller-manager, which fills
 * that role, does not run beside an API server alone.
 */
export async function makeOwner({ client }: TestControlPlane, user: string, namespace?: string): Promise<void> {
  const { items } = (await client.get(`${RBAC}/clusterroles`)) as Roles;
  const roles = items.filter(({ metadata: { labels = {} } }) => Object.keys(labels).some((key) => GATHERED.test(key)));
  const path = namespace === undefined ? 'clusterrolebindings' : `namespaces/${namespace}/rolebindings`;
  for (const { metadata } of roles) {
    await client.create(`${RBAC}/${path}`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
      metadata: { generateName: 'owner-' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
}
