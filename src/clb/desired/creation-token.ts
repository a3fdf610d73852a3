import { hash } from './digest.ts';
import type { LoadBalancerAttributes, Tags } from '../model/load-balancer.ts';

const creationIntentParts = (attributes: LoadBalancerAttributes, tags: Tags): string =>
  hash([attributes, tags]).slice(0, 16);

/**
 * One wish to create a load balancer: what it is to be, and when it was first wished (a resource version, unique in the cluster).
 * Fits into a label. The same wish, tried again, is the same intent; after a deletion the same attributes are another.
 */
export const newIntent = (attributes: LoadBalancerAttributes, tags: Tags, resourceVersion: string): string =>
  `${creationIntentParts(attributes, tags)}-${resourceVersion}`;

/** Whether an intent is for a load balancer with these very attributes; then, and only then, its token may be used for it. */
export const isIntentFor = (intent: string, attributes: LoadBalancerAttributes, tags: Tags): boolean =>
  intent.startsWith(`${creationIntentParts(attributes, tags)}-`);

/** The `ClientToken` of an intent: at most 64 ASCII characters. */
export const clientToken = (uid: string, intent: string): string => hash([uid, intent]);
