/** Who makes a request, as the API server has authenticated it. */
export interface UserInfo {
  readonly username: string;
  readonly groups?: readonly string[] | null | undefined;
}

/** Kubelets, and the service accounts of the namespace in which the control plane lives. */
const GROUPS: readonly string[] = ['system:nodes', 'system:serviceaccounts:kube-system'];
/** Kubelets, kube-controller-manager and kube-scheduler, the API server itself, cloud controllers with a certificate. */
const USERS: readonly string[] = ['system:node:', 'system:kube-', 'system:apiserver', 'system:cloud-'];

/** Whether a part of the cluster asks, and not a person or a person's tool. */
export const isSystemUser = (requester: UserInfo | undefined): boolean =>
  requester !== undefined &&
  (USERS.some((prefix) => requester.username.startsWith(prefix)) ||
    requester.groups?.some((group) => GROUPS.includes(group)) === true);
