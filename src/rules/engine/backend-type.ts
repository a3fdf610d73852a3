import type { Facts } from '../../inventory/facts.ts';
import type { ServiceSubject } from '../rule.ts';
import { isUnreadable } from './service-listeners.ts';

/** Returns the backend type of a Service: the annotation, or else the default of the cluster. Returns undefined if the type is unknown. */
export function backendTypeOf({ parsed }: ServiceSubject, facts: Facts): 'ecs' | 'eni' | undefined {
  const { backendType } = parsed.options;
  if (backendType !== undefined) return backendType;
  return isUnreadable(parsed, 'backendType') ? undefined : facts.cluster()?.backendType;
}
