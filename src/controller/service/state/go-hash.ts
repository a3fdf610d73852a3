import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { Service } from '../../../base/kubernetes-objects.ts';

/** The key that the Alibaba Cloud Controller Manager (the existing controller) adds to hashed objects. The hash excludes the key. */
const HASH_KEY = 'alibabacloud.com/reconcile.hash';

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Removes empty values from maps at any depth. Inner lists keep their length. */
function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, prune(item)] as const);
  return Object.fromEntries(entries.filter(([key, item]) => key !== HASH_KEY && !isEmpty(item)));
}

/** Returns the YAML text that the existing controller hashes, with the fields in that controller's order. */
export function hashedText({ metadata, spec }: Pick<Service, 'metadata' | 'spec'>): string {
  const fields = [
    spec?.ports,
    spec?.type,
    spec?.externalTrafficPolicy,
    spec?.loadBalancerClass,
    metadata.annotations,
    metadata.deletionTimestamp,
    spec?.loadBalancerSourceRanges,
  ];
  return stringify(
    fields.map(prune).filter((field) => !isEmpty(field)),
    { version: '1.1', sortMapEntries: true, indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/** Returns the value of the label by which the existing controller skips an unchanged Service after a takeover. */
export const serviceHash = (service: Pick<Service, 'metadata' | 'spec'>): string =>
  createHash('sha224').update(hashedText(service)).digest('hex');
