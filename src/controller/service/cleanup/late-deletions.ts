import { keyOf } from '../../../base/objects.ts';
import type { ServiceInputs } from '../inputs.ts';
import { doubtWhatIsDue } from '../state/cache.ts';
import { neighbours } from '../event-handlers.ts';
import type { BareTurn, ServiceDeps } from '../context.ts';
import { leavingsOf } from './targets.ts';

type Deps = Pick<ServiceDeps, 'caches' | 'clock' | 'enqueue' | 'memory' | 'settings'>;

/**
 * Puts into doubt what is due to be read again. Where that is because all is over by now that might yet have happened, the neighbours' is read
 * again too: a deletion that took effect late may have hit what they have made since on a port that had seemed to be free.
 */
export function doubtWhatIsOver(inputs: ServiceInputs, { entry }: Pick<BareTurn, 'entry'>, deps: Deps): void {
  if (!doubtWhatIsDue(entry, deps.clock.monotonic())) return;
  for (const { use } of leavingsOf(inputs, entry, deps)) {
    if (use.kind === 'owned') continue;
    for (const other of neighbours(use.id, keyOf(inputs.service), deps.caches)) {
      deps.memory.audit(other);
      deps.enqueue(other);
    }
  }
}
