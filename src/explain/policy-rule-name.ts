/** Matches the name of a policy, or of a constraint or quota in a policy. */
const RULE = /^policy\/([a-z0-9][a-z0-9.-]{0,62})(?:\/([a-z0-9][a-z0-9-]{0,62}))?$/;

/** The name of a constraint, a quota or a policy in a denial. */
export interface PolicyRule {
  readonly policy: string;
  /** The constraint or the quota. Undefined for the name of a whole policy. */
  readonly rule?: string;
}

/** Parses `policy/<policy>` or `policy/<policy>/<constraint or quota>`, the argument of `portcullis explain`. Returns undefined for other names. */
export function policyRuleOf(name: string): PolicyRule | undefined {
  const [, policy, rule] = RULE.exec(name) ?? [];
  if (policy === undefined) return undefined;
  return rule === undefined ? { policy } : { policy, rule };
}

/** Returns the explanation without the flag `--policy`: the commands that show the policy of the cluster. */
export function policyRuleText({ policy, rule }: PolicyRule): string {
  const introduction =
    rule === undefined
      ? `LoadBalancerPolicy ${policy} is an object of the cluster.`
      : `${rule} is a constraint or a quota of LoadBalancerPolicy ${policy}, an object of the cluster.`;
  return `${introduction}

  kubectl get lbp ${policy} -o yaml         the policy
  kubectl get lbx                           the exceptions, and when they expire
  portcullis explain ${rule === undefined ? `policy/${policy}` : `policy/${policy}/${rule}`} --policy FILE
                                            an explanation of a policy in a file
  portcullis lint --policy cluster FILES    the violations in manifests`;
}
