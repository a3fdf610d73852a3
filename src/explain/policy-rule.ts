/** Longer names are none of a policy's. */
const RULE = /^policy\/([a-z0-9][a-z0-9.-]{0,62})(?:\/([a-z0-9][a-z0-9-]{0,62}))?$/;

/** What a constraint or a quota of a policy is called, as denials name it. */
export interface PolicyRule {
  readonly policy: string;
  /** Absent for the policy as a whole, which its defaults are told by. */
  readonly rule?: string;
}

/** Reads `policy/<policy>/<constraint or quota>`; absent for any other name. */
export function policyRuleOf(name: string): PolicyRule | undefined {
  const [, policy, rule] = RULE.exec(name) ?? [];
  if (policy === undefined) return undefined;
  return rule === undefined ? { policy } : { policy, rule };
}

/** What can be told of it without the cluster that has it. */
export function policyRuleText({ policy, rule }: PolicyRule): string {
  const whose =
    rule === undefined
      ? `LoadBalancerPolicy ${policy} is one of the cluster's own.`
      : `${rule} is a constraint or a quota of LoadBalancerPolicy ${policy}, which is one of the cluster's own.`;
  return `${whose}

  kubectl get lbp ${policy} -o yaml         what it asks for
  kubectl get lbx                           what is excepted, and until when
  portcullis explain ${rule === undefined ? `policy/${policy}` : `policy/${policy}/${rule}`} --policy FILE
                                            the same in words, from a file
  portcullis lint --policy cluster FILES    what it says of manifests`;
}
