import { hash } from './digest.ts';
import type { LoadBalancerAttributes, Tags } from '../model/load-balancer.ts';

const creationIntentParts = (attributes: LoadBalancerAttributes, tags: Tags): string =>
  hash([attributes, tags]).slice(0, 16);

/**
 * Returns the intent of a creation: its attributes and the resource version of the first attempt, which is unique in the cluster. Fits into a label.
 * Retries keep the intent; after a deletion, the same attributes get another intent.
 */
export const newIntent = (attributes: LoadBalancerAttributes, tags: Tags, resourceVersion: string): string =>
  `${creationIntentParts(attributes, tags)}-${resourceVersion}`;

/** Returns whether an intent is for exactly these attributes and tags. Its token must not be used for others. */
export const isIntentFor = (intent: string, attributes: LoadBalancerAttributes, tags: Tags): boolean =>
  intent.startsWith(`${creationIntentParts(attributes, tags)}-`);

/** Returns the `ClientToken` of an intent: at most 64 ASCII characters. */
export const clientToken = (uid: string, intent: string): string => hash([uid, intent]);
