/** Permissions on the objects that the safety policies protect, as a tenant may have them. The policies must deny the writes nevertheless. */
export const TENANT_RIGHTS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'tenant' },
    rules: [
      { apiGroups: [''], resources: ['services', 'services/status', 'configmaps'], verbs: ['*'] },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
        verbs: ['*'],
      },
      {
        apiGroups: ['portcullis.io'],
        resources: ['classicloadbalancers', 'classicloadbalancers/status'],
        verbs: ['*'],
      },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tenant' },
    subjects: ['tenant', 'system:kube-controller-manager'].map((name) => ({
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'User',
      name,
    })),
  },
];
