import { parseAnnotations } from '../../../annotation/parse.ts';
import { keyOf, type Service } from '../../../objects.ts';
import { doubtWhatIsDue } from '../memory.ts';
import { neighbours } from '../triggers.ts';
import type { BareTurn, ServiceDeps } from '../turn.ts';
import { leavingsOf } from './leavings.ts';

type Deps = Pick<ServiceDeps, 'caches' | 'clock' | 'enqueue' | 'memory' | 'settings'>;

/**
 * Puts into doubt what is due to be read again. Where that is because all is over by now that might yet have happened, the neighbours' is read
 * again too: a deletion that took effect late may have hit what they have made since on a port that had seemed to be free.
 */
export function doubtWhatIsOver(service: Service, { entry }: Pick<BareTurn, 'entry'>, deps: Deps): void {
  if (!doubtWhatIsDue(entry, deps.clock.monotonic())) return;
  const { options } = parseAnnotations(service.metadata.annotations ?? {});
  for (const { use } of leavingsOf(service, options, entry, deps)) {
    if (use.kind === 'owned') continue;
    for (const other of neighbours(use.id, keyOf(service), deps.caches)) {
      deps.memory.audit(other);
      deps.enqueue(other);
    }
  }
}
