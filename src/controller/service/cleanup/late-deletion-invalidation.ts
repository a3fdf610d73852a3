import { keyOf } from '../../../base/kubernetes-objects.ts';
import type { ServiceInputs } from '../inputs.ts';
import { invalidateDue } from '../state/service-state.ts';
import { servicesSharing } from '../event-handlers.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';
import { cleanupTargetsOf } from './cleanup-targets.ts';

type Deps = Pick<ServiceDeps, 'caches' | 'clock' | 'enqueue' | 'states' | 'settings'>;

/**
 * Invalidates cached parts that are due for a read, at the start of each sync and cleanup. Once the pending operations of the Service are over, also
 * makes the other Services on its load balancers read everything: a late deletion by this Service may have removed a new listener of another Service.
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
