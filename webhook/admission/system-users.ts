/** The author of a request, as the API server authenticated it. */
export interface UserInfo {
  readonly username: string;
  readonly groups?: readonly string[] | null | undefined;
}

/** The groups of kubelets, and of the service accounts in the namespace `kube-system`. */
const GROUPS: readonly string[] = ['system:nodes', 'system:serviceaccounts:kube-system'];
/** The user name prefixes of kubelets, kube-controller-manager, kube-scheduler, the API server, and cloud controllers with a client certificate. */
const USERS: readonly string[] = ['system:node:', 'system:kube-', 'system:apiserver', 'system:cloud-'];

/** Returns whether a cluster component makes the request. The webhook never denies the writes of cluster components to Nodes. */
export const isSystemUser = (userInfo: UserInfo | undefined): boolean =>
  userInfo !== undefined &&
  (USERS.some((prefix) => userInfo.username.startsWith(prefix)) ||
    userInfo.groups?.some((group) => GROUPS.includes(group)) === true);
