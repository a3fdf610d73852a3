import { CATALOGUE } from '../../annotation/catalogue.ts';
import { annotationField } from '../../annotation/field.ts';
import { choice } from '../../annotation/allowed-values.ts';
import { inListOf } from '../../clb/diff/sharing-services.ts';
import { isHash, mayHaveHash } from '../../clb/diff/scheduler-change.ts';
import { listenerKey } from '../../clb/model/state.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ClassicLoadBalancerStatus } from '../../inventory/resource.ts';
import { keyOf } from '../../base/objects.ts';
import type { Violation, ServiceSubject } from '../rule.ts';
import { unlessStale } from './age.ts';
import { asFarAsPublished, isCarriedOut } from './effective.ts';
import { askedBy, isUnreadable, managesListeners } from './listeners.ts';
import { provisioningPhaseOf } from './phase.ts';
import { freeReuseOf } from './reuse.ts';

/** A listener that stays, with what it has. */
interface Staying {
  readonly port: number;
  readonly scheduler: string;
}

/** What the cloud has to say of the scheduler that the listeners of a Service are to have. */
export function onScheduler(subject: ServiceSubject, facts: Facts): Violation | undefined {
  if (!managesListeners(subject)) return undefined;
  return isHash(subject.parsed.options.scheduler) ? unreachable(subject, facts) : forGood(subject, facts);
}

/**
 * A hash that is asked of a listener that is there with another scheduler: the cloud changes none into a hash, nor one hash into another. A
 * listener that is made anew can have any.
 */
function unreachable(subject: ServiceSubject, facts: Facts): Violation | undefined {
  const { before, parsed } = subject;
  const wanted = parsed.options.scheduler ?? '';
  const saidOf = ({ port, scheduler }: Staying): Violation => ({
    field: fieldOf(subject),
    found: wanted,
    allowed: `${choice([...new Set([scheduler, 'rr', 'wrr'])])}, because the listener on port ${port} is there, and the cloud cannot make it ${wanted}`,
    fix: `${before === undefined ? 'write one of these' : 'undo the change'}, or remove the port, and add it again with ${wanted}`,
  });
  const made = madeAsStored(subject, facts);
  const told = before === undefined || made === undefined ? undefined : asFarAsPublished(before, saidOf(made));
  if (told !== undefined && told.advice !== true) return told;
  const left = leftBehind(subject, facts);
  // The controller leaves out the scheduler alone.
  return left === undefined ? told : unlessStale(facts, { ...saidOf(left), on: left.on, atApplyOnly: true as const });
}

/** A hash that is taken from a listener that is there: it cannot be had again. */
function forGood(subject: ServiceSubject, facts: Facts): Violation | undefined {
  const { before, parsed } = subject;
  const was = before?.parsed.options.scheduler;
  if (before === undefined || !isHash(was) || isUnreadable(parsed, 'scheduler') || !isCarriedOut(before))
    return undefined;
  const made = madeAsStored(subject, facts);
  if (made === undefined) return undefined;
  return {
    field: fieldOf(subject),
    found: parsed.options.scheduler ?? '',
    allowed: `rr or wrr, but for good: the cloud does not make the listener on port ${made.port} ${was} again, as long as it is there`,
    fix: 'be sure that clients need not be kept with their servers any more',
    advice: true,
  };
}

const fieldOf = ({ parsed }: ServiceSubject): string =>
  annotationField(parsed.keys.get('scheduler') ?? CATALOGUE.scheduler.key);

/** One that can have a hash and was made as it is asked for until now; where an address is told, or a load balancer given up, there is a listener. */
function madeAsStored(subject: ServiceSubject, facts: Facts): Staying | undefined {
  const { before, parsed } = subject;
  const presence = provisioningPhaseOf(subject, facts);
  if (presence !== 'served' && presence !== 'leaving') return undefined;
  const was = before?.parsed.options.scheduler;
  // Listeners that were not managed until now may have any.
  if (before === undefined || !managesListeners(before)) return undefined;
  if (parsed.options.scheduler === was) {
    const status = isCarriedOut(before) ? undefined : facts.ownedBy(before.object);
    return status === undefined ? undefined : otherOn(status, subject);
  }
  const wasAsked = inListOf(askedBy(before), listenerKey);
  const stays = askedBy(subject).find((listener) => mayHaveHash(listener.protocol) && wasAsked(listener));
  return stays === undefined ? undefined : { port: stays.port, scheduler: was ?? 'rr' };
}

/** One on the load balancer that is reused which was made by a Service of this name, and is taken for this one's. */
function leftBehind(subject: ServiceSubject, facts: Facts): (Staying & { readonly on: string }) | undefined {
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return undefined;
  const listener = otherOn(reuse.status, subject);
  return listener === undefined ? undefined : { ...listener, on: reuse.id };
}

/** One that a Service of this name has on a load balancer, as the mirror knows that, with another scheduler than this one asks of it. */
function otherOn({ listeners }: ClassicLoadBalancerStatus, subject: ServiceSubject): Staying | undefined {
  const [own, wanted] = [keyOf(subject.object), subject.parsed.options.scheduler];
  const isAsked = inListOf(askedBy(subject), listenerKey);
  for (const listener of listeners) {
    const { port, scheduler, service } = listener;
    if (scheduler !== undefined && scheduler !== wanted && service === own && isAsked(listener))
      return { port, scheduler };
  }
  return undefined;
}
