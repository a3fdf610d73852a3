import { hash } from './digest.ts';
import type { LoadBalancerAttributes, Tags } from '../model/load-balancer.ts';

const attributesDigest = (attributes: LoadBalancerAttributes, tags: Tags): string =>
  hash([attributes, tags]).slice(0, 16);

/**
 * Returns the intent of a creation: a digest of its attributes and tags, and the resource version of the Service at the first attempt. The binding
 * records the intent, so that retries use one token. A creation after a deletion gets another intent.
 */
export const newIntent = (attributes: LoadBalancerAttributes, tags: Tags, resourceVersion: string): string =>
  `${attributesDigest(attributes, tags)}-${resourceVersion}`;

/** Returns whether an intent is for exactly these attributes and tags. A creation with other attributes needs another token. */
export const isIntentFor = (intent: string, attributes: LoadBalancerAttributes, tags: Tags): boolean =>
  intent.startsWith(`${attributesDigest(attributes, tags)}-`);

/**
 * Returns the `ClientToken` of an intent, with at most 64 ASCII characters. With the token, a repeated call returns the first load balancer and
 * creates no second load balancer.
 */
export const clientToken = (uid: string, intent: string): string => hash([uid, intent]);
