import { keyOf } from '../../../base/objects.ts';
import type { ServiceInputs } from '../inputs.ts';
import { invalidateDue } from '../state/cache.ts';
import { servicesSharing } from '../event-handlers.ts';
import type { BareReconcileContext, ServiceDeps } from '../context.ts';
import { cleanupTargetsOf } from './targets.ts';

type Deps = Pick<ServiceDeps, 'caches' | 'clock' | 'enqueue' | 'memory' | 'settings'>;

/**
 * Puts into doubt what is due to be read again. Where that is because all is over by now that might yet have happened, the neighbours' is read
 * again too: a deletion that took effect late may have hit what they have made since on a port that had seemed to be free.
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
      deps.memory.audit(other);
      deps.enqueue(other);
    }
  }
}
