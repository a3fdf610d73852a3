import { keyOf } from '../../../base/kubernetes-objects.ts';
import type { ServiceInputs } from '../inputs.ts';
import { invalidateDue } from '../state/service-state.ts';
import { servicesSharing } from '../event-handlers.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';
import { cleanupTargetsOf } from './cleanup-targets.ts';

type Deps = Pick<ServiceDeps, 'caches' | 'clock' | 'enqueue' | 'states' | 'settings'>;

/**
 * Invalidates cached parts that are due for a read, at the start of each sync and cleanup. After the end of pending operations, also makes other
 * Services on the load balancer read everything: a late deletion may have removed their new listener.
 */
export function invalidateLateDeletions(
  inputs: ServiceInputs,
  { entry }: Pick<BareReconcileContext, 'entry'>,
  deps: Deps,
): void {
  if (!invalidateDue(entry, deps.clock.monotonic())) return;
  for (const { use } of cleanupTargetsOf(inputs, entry, deps)) {
    if (use.kind === 'owned') continue;
    for (const other of servicesSharing(use.id, keyOf(inputs.service), deps.caches)) {
      deps.states.audit(other);
      deps.enqueue(other);
    }
  }
}
