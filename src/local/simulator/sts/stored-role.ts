/** A role that callers of `AssumeRole` assume to get a temporary key. Only seeds create roles. */
export interface RoleRow {
  /** The ARN of the role. */
  readonly id: string;
  readonly maxSessionSeconds: number;
  /** The identity providers whose tokens may assume the role. With an empty list, no token may assume the role. */
  readonly oidcProviders: readonly string[];
  /** The permitted subjects, such as `system:serviceaccount:NAMESPACE:NAME`. With an empty list, all subjects may assume the role. */
  readonly oidcSubjects: readonly string[];
}
