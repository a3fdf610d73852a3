import type { Options } from '../annotation/catalogue.ts';
import type { LastingOptions } from '../clb/applied.ts';
import { apply } from '../clb/apply.ts';
import { describeAction, type Action } from '../clb/action.ts';
import { doubtsAfter, learntFrom } from '../clb/effect.ts';
import { clientToken, isIntentFor, newIntent } from '../clb/intent.ts';
import { doubt, NOTHING_KNOWN, observe, partsToRead, type Hints, type Knowledge } from '../clb/observe.ts';
import { isOwnLoadBalancer } from '../clb/policy.ts';
import type { NetworkApi } from '../clb/network.ts';
import type { ClbApi } from '../clb/port.ts';
import type { Lane } from '../plan/call.ts';
import type { ClusterSettings } from '../clb/settings.ts';
import type { Desired, Observed } from '../clb/state.ts';
import type { Clock } from '../clock.ts';
import { hasReason, PortcullisError } from '../errors.ts';
import type { DeletedListeners } from '../inventory/deleted-listeners.ts';
import type { Logger } from '../log.ts';
import { keyOf, SERVICES, type Service } from '../objects.ts';
import type { Plan } from '../plan/plan.ts';
import { renderPlan } from '../plan/render.ts';
import type { Neighbourhood } from './interfaces.ts';
import type { Judge } from './judge.ts';
import { beginPatch, readMarks } from './marks.ts';
import { SETTLE_MS, type Entry, type ServiceMemory } from './memory.ts';
import type { ServiceMetrics } from './metrics.ts';
import { rememberListener } from './mirror.ts';
import type { NodeSelector } from './node-selector.ts';
import { planFor } from './planning.ts';
import type { EventRecorder, KubernetesCaches, KubernetesWriter } from './port.ts';

/** What the Service controller works with. */
export interface ServiceDeps {
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods' | 'classicLoadBalancers'>;
  readonly selectNodes: NodeSelector;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  /** Whether addresses are in the cluster's VPC. */
  readonly isNear: Neighbourhood;
  readonly judge: Judge;
  readonly deletedListeners: DeletedListeners;
  readonly settings: ClusterSettings;
  /** Load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
  readonly memory: ServiceMemory;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly log: Logger;
  /** When this process began to lead, by the monotonic clock: before that, others may have made calls. */
  readonly leadingSinceMs: number;
  /** Puts other Services to their turn. */
  readonly enqueue: (key: string) => void;
}

/** One turn for one Service. */
export interface Turn {
  readonly entry: Entry;
  readonly lane: Lane;
  readonly options: Options;
  /** What the Service asks to be put up. */
  readonly lasting: LastingOptions;
  /** Whether the rules refuse the Service as it is stored, so that only its backends are kept up. */
  readonly isRefused: boolean;
  readonly hints: Hints;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called once for every action that was carried out. */
  readonly count: () => void;
}

/** What is known of a turn before it is looked at what the Service asks. */
export type BareTurn = Omit<Turn, 'lane' | 'hints' | 'isRefused' | 'lasting' | 'options'>;

/** How a turn has ended in the cloud. */
export interface Outcome {
  /** As our last write left it. */
  readonly service: Service;
  /** The actions that were carried out. */
  readonly done: readonly Action[];
  readonly withheld: Plan<Action>['withheld'];
  /** Nothing was done, because an earlier creation may yet show; milliseconds until it must have. */
  readonly waitMs?: number;
}

/** Whether what is known is of the load balancer that is looked for: the Service may have named another since. */
const isAbout = ({ owner, use }: Desired, { loadBalancer }: Observed): boolean =>
  use.kind === 'reused'
    ? loadBalancer?.id === use.id
    : loadBalancer === undefined || isOwnLoadBalancer(owner, loadBalancer);

/** Enough for a creation that another process had begun, and for one thing that changed under our hands. */
const MAX_ROUNDS = 3;

/** Whether no doubts are left; of a Service that goes, none that matter: what is nobody's now would be taken for another's. */
const isCertain = (desired: Desired, known: Knowledge): boolean =>
  desired.kind === 'absent' ? partsToRead(desired, known).length === 0 : known.doubts.size === 0;

/**
 * Reads what is in doubt, plans, and carries out the plan; again if the calls have left doubts.
 * Everything learnt is in the entry, also when this rejects.
 */
export async function converge(service: Service, desired: Desired, turn: Turn, deps: ServiceDeps): Promise<Outcome> {
  const done: Action[] = [];
  let current = service;
  if (!isAbout(desired, turn.entry.knowledge.observed)) turn.entry.knowledge = NOTHING_KNOWN;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { entry, signal, lane } = turn;
    await observe(desired, entry.knowledge, {
      hints: turn.hints,
      api: deps.clb,
      context: { signal, lane },
      learn: (known) => (entry.knowledge = known),
    });
    const { observed } = entry.knowledge;
    const planned = { service: current, options: turn.options, desired, observed, isRefused: turn.isRefused };
    const plan = await planFor(planned, deps, { signal, lane }, entry.certificates);
    if (plan.actions.length === 0) return { service: current, done, withheld: plan.withheld };
    const waitMs = waitFor(current, plan.actions, entry, deps);
    if (waitMs > 0) {
      lookAgain(entry);
      return { service: current, done, withheld: plan.withheld, waitMs };
    }
    turn.log.debug({ plan: renderPlan(plan, describeAction) }, 'planned');
    current = await carryOut(current, plan.actions, turn, deps, done);
    if (isCertain(desired, entry.knowledge)) return { service: current, done, withheld: plan.withheld };
  }
  throw new PortcullisError('Busy', 'the load balancer is being changed by somebody else at the same time');
}

async function carryOut(
  service: Service,
  planned: readonly Action[],
  turn: Turn,
  deps: ServiceDeps,
  done: Action[],
): Promise<Service> {
  const { entry, signal, lane } = turn;
  const creation = creationIn(planned);
  const intent = creation === undefined ? undefined : chooseIntent(service, creation, entry, deps);
  const begun = await begin(service, intent, turn, deps);
  const isResumed = intent !== undefined && entry.creation?.isFresh === false;
  // What a load balancer holds that an earlier process may have made is not known until it is read.
  const actions = isResumed && creation !== undefined ? [creation] : planned;
  const token = clientToken(entry.uid, intent ?? '');
  await apply(
    actions,
    entry.knowledge.observed,
    deps.clb,
    { signal, lane, clientToken: token },
    {
      done: (action, observed) => {
        done.push(action);
        turn.count();
        rememberListener(action, observed, deps.deletedListeners);
        entry.knowledge = { ...entry.knowledge, observed };
        if (action.kind === 'create-load-balancer') created(entry, isResumed);
        if (action.kind === 'create-server-group') createdAgain(entry, action.group, deps.clock);
      },
      failed: (action, error) => {
        turn.log.debug({ action: describeAction(action), err: error }, 'an action failed');
        const observed = learntFrom(entry.knowledge.observed, action, error);
        entry.knowledge = doubt({ ...entry.knowledge, observed }, doubtsAfter(action, error));
        if (hasReason(error, 'InvalidBackend')) forgetAddresses(entry, action);
        if (action.kind === 'create-load-balancer') notCreated(entry, error, deps.clock);
        if (hasReason(error, 'OutcomeUnknown')) mayYetHappen(entry, action, deps.clock);
      },
    },
  );
  return begun;
}

/** An interface that the cloud does not take has perhaps lost the address to another. */
function forgetAddresses({ addresses }: Entry, action: Action): void {
  if (!('backends' in action)) return;
  for (const backend of action.backends) if (backend.type === 'eni') addresses.delete(backend.serverIp);
}

/** Stores finalizer, dirty mark and intent before the first call, if one of them is not there. */
async function begin(
  service: Service,
  intent: string | undefined,
  { entry, signal, lasting: applied }: Turn,
  deps: ServiceDeps,
): Promise<Service> {
  const patch = beginPatch(service, { applied, ...(intent === undefined ? {} : { intent }) });
  if (patch === undefined) return service;
  entry.latest = await deps.writer.mergePatch(SERVICES, keyOf(service), patch, {}, signal);
  return entry.latest;
}

type Creation = Extract<Action, { readonly kind: 'create-load-balancer' }>;

const creationIn = (actions: readonly Action[]): Creation | undefined =>
  actions.find((action) => action.kind === 'create-load-balancer');

/** The intent of a creation that may have been sent and of which nobody knows that it is over. */
const openIntent = (service: Service, entry: Entry): string | undefined => {
  const intent = entry.creation?.intent ?? readMarks(service).intent;
  return intent === entry.fulfilledIntent ? undefined : intent;
};

/** Milliseconds until it is certain that an earlier creation of unknown outcome would show; 0 if there was none. */
export function unsettledMs(service: Service, entry: Entry, { clock, leadingSinceMs }: ServiceDeps): number {
  if (openIntent(service, entry) === undefined) return 0;
  return Math.max(0, (entry.creation?.triedAtMs ?? leadingSinceMs) + SETTLE_MS - clock.monotonic());
}

/** What is waited for shows only to those who look. */
export function lookAgain(entry: Entry): void {
  entry.knowledge = doubt(entry.knowledge, ['load-balancer']);
}

/** A second load balancer must not be wished for while a first, different one may yet appear. */
function waitFor(service: Service, actions: readonly Action[], entry: Entry, deps: ServiceDeps): number {
  const creation = creationIn(actions);
  const earlier = openIntent(service, entry);
  if (creation === undefined || earlier === undefined) return 0;
  return isIntentFor(earlier, creation.attributes, creation.tags) ? 0 : unsettledMs(service, entry, deps);
}

/** The intent to create under: that of a try before, if it was for the same; else a new one. */
function chooseIntent(service: Service, { attributes, tags }: Creation, entry: Entry, deps: ServiceDeps): string {
  const earlier = openIntent(service, entry);
  if (earlier !== undefined && isIntentFor(earlier, attributes, tags)) {
    entry.creation ??= { intent: earlier, isFresh: false, triedAtMs: deps.leadingSinceMs };
    return earlier;
  }
  const intent = newIntent(attributes, tags, service.metadata.resourceVersion);
  entry.creation = { intent, isFresh: true, triedAtMs: deps.clock.monotonic() };
  return intent;
}

/** What nobody knows to have happened may happen while we go on. */
function mayYetHappen(entry: Entry, action: Action, clock: Clock): void {
  if (action.kind === 'create-server-group') entry.lostGroups.add(action.group);
  if (action.kind === 'delete-listener') entry.relistAtMs = clock.monotonic() + SETTLE_MS;
}

function created(entry: Entry, isResumed: boolean): void {
  if (entry.creation !== undefined) entry.fulfilledIntent = entry.creation.intent;
  delete entry.creation;
  if (isResumed) entry.knowledge = doubt(entry.knowledge, ['groups', 'listeners']);
}

/** After a refusal nothing is under way; after anything else the creation may yet take effect. */
function notCreated(entry: Entry, error: unknown, clock: Clock): void {
  if (entry.creation === undefined) return;
  const isRefused =
    error instanceof PortcullisError && !hasReason(error, 'OutcomeUnknown') && !hasReason(error, 'Busy');
  entry.creation = { ...entry.creation, triedAtMs: isRefused ? -SETTLE_MS : clock.monotonic() };
}

/**
 * The first creation of a group, given up as lost or made by a process before this one, may yet show beside the second:
 * creating groups takes no token.
 */
function createdAgain(entry: Entry, group: string, clock: Clock): void {
  if (entry.lostGroups.delete(group) || entry.isInherited) entry.recountAtMs = clock.monotonic() + SETTLE_MS;
}
