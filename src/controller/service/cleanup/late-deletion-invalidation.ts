import { keyOf } from '../../../base/kubernetes-objects.ts';
import type { ServiceInputs } from '../inputs.ts';
import { invalidateDue } from '../state/service-state.ts';
import { servicesSharing } from '../event-handlers.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';
import { cleanupTargetsOf } from './cleanup-targets.ts';

type Deps = Pick<ServiceDeps, 'caches' | 'clock' | 'enqueue' | 'states' | 'settings'>;

/** Invalidates the cached parts that are due for a read, and audits Services that a late deletion may affect. */
export function invalidateLateDeletions(
  inputs: ServiceInputs,
  { entry }: Pick<BareReconcileContext, 'entry'>,
  deps: Deps,
): void {
  if (!invalidateDue(entry, deps.clock.monotonic())) return;
  for (const { use } of cleanupTargetsOf(inputs, entry, deps)) {
    if (use.kind === 'owned') continue;
    for (const other of servicesSharing(use.id, keyOf(inputs.service), deps.caches)) {
      // A late deletion by this Service may have removed a new listener of the other Service.
      deps.states.audit(other);
      deps.enqueue(other);
    }
  }
}
