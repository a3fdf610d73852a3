import type { AppliedDefault, UnappliedDefault } from '../../policy/defaults.ts';
import { quoted } from './text.ts';

/** Returns the warning for a default that the webhook adds to a Service. */
export const filledText = ({ key, value, policy }: AppliedDefault): string =>
  `nothing was said of the annotation ${key}: LoadBalancerPolicy ${policy} makes it ${quoted(value)}`;

/** Returns the warning for a default that an earlier write added and that stays. */
export const keptDefaultText = ({ key, value, policy }: AppliedDefault): string =>
  `nothing was said of the annotation ${key}: it stays ${quoted(value)}, as LoadBalancerPolicy ${policy} has a default for it; kubectl annotate can take it away`;

/** Returns the warning for a default that the webhook cannot add. */
export const unappliedText = ({ key, policy, why }: UnappliedDefault): string =>
  `LoadBalancerPolicy ${policy} has a default for ${key} that is not given: ${why}`;
