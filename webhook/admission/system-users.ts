/** The author of a request, as the API server authenticated it. */
export interface UserInfo {
  readonly username: string;
  readonly groups?: readonly string[] | null | undefined;
}

/** The groups of kubelets and of service accounts in the namespace of the control plane. */
const GROUPS: readonly string[] = ['system:nodes', 'system:serviceaccounts:kube-system'];
/** User name prefixes of kubelets, kube-controller-manager, kube-scheduler, the API server, and cloud controllers with a certificate. */
const USERS: readonly string[] = ['system:node:', 'system:kube-', 'system:apiserver', 'system:cloud-'];

/** Returns whether a cluster component makes the request, not a user or a user's tool. */
export const isSystemUser = (userInfo: UserInfo | undefined): boolean =>
  userInfo !== undefined &&
  (USERS.some((prefix) => userInfo.username.startsWith(prefix)) ||
    userInfo.groups?.some((group) => GROUPS.includes(group)) === true);
