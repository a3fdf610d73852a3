import type { AppliedDefault, UnappliedDefault } from '../../policy/defaults.ts';
import { quoted } from '../../base/field-error.ts';

/** Returns the warning for a default that the webhook adds to a Service. */
export const filledText = ({ key, value, policy }: AppliedDefault): string =>
  `metadata.annotations[${key}]: LoadBalancerPolicy ${policy} sets the default ${quoted(value)}`;

/** Returns the warning for a default that an earlier write added and that stays. */
export const keptDefaultText = ({ key, value, policy }: AppliedDefault): string =>
  `metadata.annotations[${key}]: keeps ${quoted(value)}, the default of LoadBalancerPolicy ${policy}; kubectl annotate can remove the annotation`;

/** Returns the warning for a default that the webhook cannot add. */
export const unappliedText = ({ key, policy, why }: UnappliedDefault): string =>
  `metadata.annotations[${key}]: the default of LoadBalancerPolicy ${policy} is not set: ${why}`;
