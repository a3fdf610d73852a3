/** The name of a policy, or of a rule in a policy, with the limits of Kubernetes names. */
const RULE = /^policy\/([a-z0-9][a-z0-9.-]{0,62})(?:\/([a-z0-9][a-z0-9-]{0,62}))?$/;

/** A constraint or quota of a policy, as denials name it. */
export interface PolicyRule {
  readonly policy: string;
  /** Undefined for the policy as a whole, which denials about defaults name. */
  readonly rule?: string;
}

/** Parses `policy/<policy>/<constraint or quota>`. Returns undefined for other names. */
export function policyRuleOf(name: string): PolicyRule | undefined {
  const [, policy, rule] = RULE.exec(name) ?? [];
  if (policy === undefined) return undefined;
  return rule === undefined ? { policy } : { policy, rule };
}

/** Returns the explanation that needs no data of the cluster. */
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
