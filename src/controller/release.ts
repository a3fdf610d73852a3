import type { Options } from '../annotation/catalogue.ts';
import { parseAnnotations } from '../annotation/parse.ts';
import { NO_OPTIONS } from '../clb/applied.ts';
import { desireNothing, ownerOf } from '../clb/desired.ts';
import { forget, type Hints } from '../clb/observe.ts';
import type { Absent } from '../clb/state.ts';
import { PortcullisError } from '../errors.ts';
import { keyOf, SERVICES, type Service } from '../objects.ts';
import type { Result } from '../reconcile/verdict.ts';
import { withoutCondition } from './condition.ts';
import { cleaned, preserved, tell } from './events.ts';
import { finalPatch, noLabels, readMarks } from './marks.ts';
import { correctMirror, rememberGone } from './mirror.ts';
import { writeStatus } from './record.ts';
import type { KubernetesCaches } from './port.ts';
import { publishedIngress } from './status.ts';
import { neighbours } from './triggers.ts';
import { converge, lookAgain, unsettledMs, type BareTurn, type ServiceDeps, type Turn } from './turn.ts';

/** What a Service that goes leaves behind. */
export function absentOf(
  service: Service,
  options: Options,
  deps: Pick<ServiceDeps, 'settings'> & { readonly caches: Pick<KubernetesCaches, 'services'> },
): Absent {
  const shared = options.id !== undefined && neighbours(options.id, keyOf(service), deps.caches).length > 0;
  return desireNothing(ownerOf(service, deps.settings), options, shared);
}

/** Takes the address out of the status and our marks off, then lets the Service go: in this order, as its address is not ours any more. */
async function letGo(service: Service, turn: Turn, deps: ServiceDeps): Promise<void> {
  const isSaid = publishedIngress(service).length > 0;
  const said = { labels: noLabels(service), ingress: isSaid ? null : undefined, condition: withoutCondition(service) };
  const current = await writeStatus(service, said, turn, deps);
  turn.entry.latest = await deps.writer.mergePatch(SERVICES, keyOf(service), finalPatch(current), {}, turn.signal);
}

function hintsOf(service: Service): Hints {
  const { digest, loadBalancerId } = readMarks(service);
  const hadOne = publishedIngress(service).length > 0 || digest !== undefined || loadBalancerId !== undefined;
  return { hadOne, ...(loadBalancerId === undefined ? {} : { recordedId: loadBalancerId }) };
}

/**
 * Leaves nothing of the Service in the cloud, and lets it go only when that is proved: by the deletion that the cloud has
 * acknowledged, or by its being found neither by its recorded id nor in any list.
 */
export async function release(service: Service, bare: BareTurn, deps: ServiceDeps): Promise<Result> {
  const { options } = parseAnnotations(service.metadata.annotations ?? {});
  const { entry } = bare;
  const hints = hintsOf(service);
  const turn: Turn = { ...bare, options, lasting: NO_OPTIONS, isRefused: false, hints, lane: 'delete' };
  const desired = absentOf(service, options, deps);
  // Deleting on what is remembered would delete what somebody else has been given since.
  if (!entry.isGoing) lookAgain(entry);
  entry.isGoing = true;
  const { service: current, done, withheld } = await converge(service, desired, turn, deps);
  const [first] = withheld;
  if (first !== undefined) {
    // What stands in the way in the cloud shows only by looking.
    entry.knowledge = forget(entry.knowledge);
    throw new PortcullisError('Rejected', first.reason);
  }
  const waitMs = done.length === 0 && desired.use.kind === 'owned' ? unsettledMs(service, entry, deps) : 0;
  if (waitMs > 0) {
    lookAgain(entry);
    return { requeueAfterMs: waitMs };
  }
  rememberGone(service, desired.use, entry.knowledge.observed, deps.deletedListeners);
  await correctMirror(entry.knowledge.observed, deps, turn);
  await letGo(current, turn, deps);
  const { loadBalancer } = entry.knowledge.observed;
  if (desired.use.kind === 'owned' && desired.preserve && loadBalancer !== undefined)
    tell(deps.events, service, preserved(loadBalancer.id));
  tell(deps.events, service, cleaned());
  if (desired.use.kind === 'reused')
    for (const other of neighbours(desired.use.id, keyOf(service), deps.caches)) deps.enqueue(other);
  return 'done';
}
