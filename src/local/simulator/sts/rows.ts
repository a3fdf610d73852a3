export interface Role {
  /** The ARN. */
  readonly id: string;
  readonly maxSessionSeconds: number;
  /** Identity providers that may assume it; empty for none. */
  readonly oidcProviders: readonly string[];
  /** Whom of theirs: `system:serviceaccount:NAMESPACE:NAME`; empty for anybody. */
  readonly oidcSubjects: readonly string[];
}
