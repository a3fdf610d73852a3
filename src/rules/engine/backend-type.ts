import type { Facts } from '../../inventory/facts.ts';
import type { ServiceSubject } from '../rule.ts';
import { isUnreadable } from './listeners.ts';

/** Returns the backend type of the annotation, else the default of the cluster. Returns undefined if neither is known. */
export function backendTypeOf({ parsed }: ServiceSubject, facts: Facts): 'ecs' | 'eni' | undefined {
  const { backendType } = parsed.options;
  if (backendType !== undefined) return backendType;
  return isUnreadable(parsed, 'backendType') ? undefined : facts.cluster()?.backendType;
}
