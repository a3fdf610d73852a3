import type { AppliedDefault, UnappliedDefault } from '../../policy/defaults.ts';
import { quoted } from './text.ts';

/** What is told of a default that a Service is given. */
export const filledText = ({ key, value, policy }: AppliedDefault): string =>
  `nothing was said of the annotation ${key}: LoadBalancerPolicy ${policy} makes it ${quoted(value)}`;

/** What is told of one that it has been given, and that stays. */
export const keptDefaultText = ({ key, value, policy }: AppliedDefault): string =>
  `nothing was said of the annotation ${key}: it stays ${quoted(value)}, as LoadBalancerPolicy ${policy} has a default for it; kubectl annotate can take it away`;

/** What is told of one that it cannot be given. */
export const unappliedText = ({ key, policy, why }: UnappliedDefault): string =>
  `LoadBalancerPolicy ${policy} has a default for ${key} that is not given: ${why}`;
