import type { AppliedDefault, UnappliedDefault } from '../../policy/annotation-defaults.ts';
import { quoted } from '../../base/field-error.ts';

/** Returns the warning for a policy default that the webhook adds to a Service. The caller puts the field before the text. */
export const appliedDefaultText = ({ value, policy }: AppliedDefault): string =>
  `LoadBalancerPolicy ${policy} sets the default ${quoted(value)}`;

/** Returns the warning for an earlier default that the webhook keeps, although the new manifest omits the annotation. */
export const keptDefaultText = ({ value, policy }: AppliedDefault): string =>
  `keeps ${quoted(value)}, the default of LoadBalancerPolicy ${policy}; kubectl annotate can remove the annotation`;

/** Returns the warning for a default that the webhook cannot add. */
export const unappliedText = ({ policy, why }: UnappliedDefault): string =>
  `the default of LoadBalancerPolicy ${policy} is not set: ${why}`;
