import { hash } from './digest.ts';
import type { LoadBalancerAttributes, Tags } from '../model/load-balancer.ts';

const attributesDigest = (attributes: LoadBalancerAttributes, tags: Tags): string =>
  hash([attributes, tags]).slice(0, 16);

/** Returns the intent of a creation, which its retries reuse. `resourceVersion` distinguishes a later creation, after a deletion. */
export const newIntent = (attributes: LoadBalancerAttributes, tags: Tags, resourceVersion: string): string =>
  `${attributesDigest(attributes, tags)}-${resourceVersion}`;

/** Returns whether an intent is for exactly these attributes and tags, because a creation with other attributes needs another token. */
export const isIntentFor = (intent: string, attributes: LoadBalancerAttributes, tags: Tags): boolean =>
  intent.startsWith(`${attributesDigest(attributes, tags)}-`);

/** Returns the `ClientToken` of an intent, as a hash, because the cloud accepts at most 64 ASCII characters. */
export const clientToken = (uid: string, intent: string): string => hash([uid, intent]);
