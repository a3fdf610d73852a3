export interface Role {
  /** The ARN of the role. */
  readonly id: string;
  readonly maxSessionSeconds: number;
  /** The identity providers that may assume the role. Empty for none. */
  readonly oidcProviders: readonly string[];
  /** The permitted subjects of the providers: `system:serviceaccount:NAMESPACE:NAME`. Empty for any. */
  readonly oidcSubjects: readonly string[];
}
