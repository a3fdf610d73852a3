import type { TestControlPlane } from './control-plane.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** The labels of the roles that are aggregated into `admin`, `edit` and `view`. */
const GATHERED = /^rbac\.authorization\.k8s\.io\/aggregate-to-(?:admin|edit|view)$/;

/** Returns whether RBAC allows a user a verb on a resource of Portcullis. Without a namespace, asks for all namespaces. */
export async function isAllowed(
  { client }: TestControlPlane,
  user: string,
  request: { readonly verb: string; readonly resource: string; readonly namespace?: string },
): Promise<boolean> {
  const { status } = (await client.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user,
      groups: ['system:authenticated'],
      resourceAttributes: { group: 'portcullis.io', ...request },
    },
  })) as { readonly status: { readonly allowed: boolean } };
  return status.allowed;
}

/** All verbs of RBAC that read or change objects. */
export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

interface Roles {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  }[];
}

/** Gives a user all permissions of the role `admin` in one namespace or in all. */
export async function makeOwner({ client }: TestControlPlane, user: string, namespace?: string): Promise<void> {
  const { items } = (await client.get(`${RBAC}/clusterroles`)) as Roles;
  // Binds the parts of the role, because no kube-controller-manager aggregates them.
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
