import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { annotationField } from '../../../src/annotation/field.ts';
import { MARKS } from '../../../src/annotation/marks.ts';
import { choice } from '../../../src/annotation/says.ts';
import { among } from '../../../src/clb/among.ts';
import { isHash } from '../../../src/clb/one-way-scheduler.ts';
import { listenerKey } from '../../../src/clb/state.ts';
import type { Facts } from '../../../src/inventory/facts.ts';
import { keyOf } from '../../../src/objects.ts';
import type { Fault, ServiceSubject } from '../rule.ts';
import { unlessStale } from './age.ts';
import { askedBy, managesListeners } from './listeners.ts';
import { GONE, presenceOf } from './presence.ts';
import { freeReuseOf } from './reuse.ts';

/** A listener that stays, with what it has. */
interface Staying {
  readonly port: number;
  readonly scheduler: string;
}

/**
 * A hash that is asked of a listener that is there with another scheduler: the cloud changes none into a hash, nor one hash into another. A
 * listener that is made anew can have any.
 */
export function unreachableScheduler(subject: ServiceSubject, facts: Facts): Fault | undefined {
  const { before, parsed } = subject;
  const wanted = parsed.options.scheduler;
  if (!isHash(wanted) || !managesListeners(subject)) return undefined;
  const saidOf = ({ port, scheduler }: Staying): Fault => ({
    field: annotationField(parsed.keys.get('scheduler') ?? CATALOGUE.scheduler.key),
    found: wanted,
    allowed: `${choice([...new Set([scheduler, 'rr', 'wrr'])])}, because the listener on port ${port} is there, and the cloud cannot make it ${wanted}`,
    fix: `${before === undefined ? 'write one of these' : 'undo the change'}, or remove the port, and add it again with ${wanted}`,
  });
  const presence = presenceOf(subject, facts);
  const made = presence === 'served' || presence === 'leaving' ? madeAsStored(subject) : undefined;
  // Where an address is told, there is a listener.
  if (made !== undefined) return presence === 'leaving' ? whileLeaving(saidOf(made), subject, facts) : saidOf(made);
  const left = leftBehind(subject, facts);
  if (left === undefined) return undefined;
  // The controller leaves out the scheduler alone.
  return unlessStale(facts, { ...saidOf(left), on: left.on, atApplyOnly: true as const });
}

/** A load balancer that is being given up goes with its listeners, if they have ever been made: that all was carried out is recorded. */
const whileLeaving = (fault: Fault, { before }: ServiceSubject, facts: Facts): Fault => {
  const labels = before?.object.metadata.labels ?? {};
  const wasMade = [MARKS.digest.name, MARKS.hash.name].some((label) => labels[label] !== undefined);
  return wasMade ? unlessStale(facts, { ...fault, fix: GONE }) : { ...fault, fix: GONE, advice: true };
};

/** One that was made as it is asked for until now. */
function madeAsStored(subject: ServiceSubject): Staying | undefined {
  const { before, parsed } = subject;
  const was = before?.parsed.options.scheduler;
  // Listeners that were not managed until now may have any.
  if (before === undefined || parsed.options.scheduler === was || !managesListeners(before)) return undefined;
  const stays = askedBy(subject).find(among(askedBy(before), listenerKey));
  return stays === undefined ? undefined : { port: stays.port, scheduler: was ?? 'rr' };
}

/** One on the load balancer that is reused which was made by a Service of this name, and is taken for this one's. */
function leftBehind(subject: ServiceSubject, facts: Facts): (Staying & { readonly on: string }) | undefined {
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return undefined;
  const [own, wanted] = [keyOf(subject.object), subject.parsed.options.scheduler];
  const isAsked = among(askedBy(subject), listenerKey);
  for (const listener of reuse.status.listeners) {
    const { port, scheduler, service } = listener;
    if (scheduler !== undefined && scheduler !== wanted && service === own && isAsked(listener))
      return { port, scheduler, on: reuse.id };
  }
  return undefined;
}
