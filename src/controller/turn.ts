import type { Options } from '../annotation/catalogue.ts';
import type { LastingOptions } from '../clb/applied.ts';
import { apply } from '../clb/apply.ts';
import { describeAction, type Action } from '../clb/action.ts';
import { doubtsAfter, learntFrom } from '../clb/effect.ts';
import type { Heirs } from '../clb/hand-over.ts';
import { clientToken } from '../clb/intent.ts';
import { lostNames } from '../clb/lost-names.ts';
import type { Objections } from '../clb/objection.ts';
import { doubt, NOTHING_KNOWN, observe, partsToRead, type Hints, type Knowledge } from '../clb/observe.ts';
import type { LoadBalancerId } from '../clb/ids.ts';
import { isOthersName } from '../clb/naming.ts';
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
import { keyOf, type Service } from '../objects.ts';
import type { Plan } from '../plan/plan.ts';
import { renderPlan } from '../plan/render.ts';
import { chooseIntent, created, createdAgain, creationIn, mayYetHappen, notCreated, waitFor } from './creation.ts';
import type { Neighbourhood } from './interfaces.ts';
import type { Judge } from './judge.ts';
import { lookAgain, type Entry, type ServiceMemory } from './memory.ts';
import type { ServiceMetrics } from './metrics.ts';
import { rememberListener } from './mirror.ts';
import type { NodeSelector } from './node-selector.ts';
import { placeOf } from './places.ts';
import { planFor } from './planning.ts';
import type { EventRecorder, KubernetesCaches, KubernetesWriter } from './port.ts';
import { begin } from './service-write.ts';
import type { SharedPorts } from './shared-ports.ts';
import { failureBeside } from './standing.ts';
import { neighbours } from './triggers.ts';

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
  readonly ports: SharedPorts;
  /** The other Services that want what one has in groups of people. */
  readonly heirs: (service: Service, desired: Desired) => Heirs;
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
  /** Whether only its backends are kept up: the rules refuse the Service as it is stored, or the rest has failed and is not due yet. */
  readonly isRefused: boolean;
  /** What policies have against what is desired, given what is there. */
  readonly objectionsTo: (desired: Desired, observed: Observed) => Objections;
  readonly hints: Hints;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called once for every action that was carried out. */
  readonly count: () => void;
}

/** What is known of a turn before it is looked at what the Service asks. */
export type BareTurn = Omit<Turn, 'lane' | 'hints' | 'isRefused' | 'objectionsTo' | 'lasting' | 'options'>;

/** How a turn has ended in the cloud. */
export interface Outcome {
  /** As our last write left it. */
  readonly service: Service;
  /** The actions that were carried out. */
  readonly done: readonly Action[];
  readonly withheld: Plan<Action>['withheld'];
  /** What policies have against what is desired. */
  readonly objections: Objections;
  /** What of the Service had lost its name when it was looked at, if the cloud has had all of it before. */
  readonly lost: readonly string[];
  /** Nothing more was done, because an earlier creation may yet show, or others take ports; milliseconds after which to look again. */
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

/** A turn, and whether nobody else takes ports of the load balancer while it lasts. */
type Stay = Turn & { readonly isAlone?: boolean };

/** Whose turn goes on. */
interface Going {
  readonly service: Service;
  readonly turn: Turn;
}

/** The load balancer of which a plan takes ports that others may want as well. */
const portsToTake = ({ use }: Desired, { actions }: Plan<Action>): LoadBalancerId | undefined =>
  use.kind === 'reused' && actions.some(({ kind }) => kind === 'create-listener') ? use.id : undefined;

/** Milliseconds after which those look again who wait for others to have taken their ports, if they are not told before. */
const PORTS_RETRY_MS = 30_000;

/** Goes on from what is left of the ports of a load balancer, unless somebody else is taking some. */
const goOnAlone = (
  id: LoadBalancerId,
  { service, turn }: Going,
  deps: ServiceDeps,
  goOn: (turn: Stay) => Promise<Outcome>,
) =>
  deps.ports.alone(id, keyOf(service), () => {
    const { entry } = turn;
    if (deps.ports.taken(id) !== entry.portsTaken) entry.knowledge = doubt(entry.knowledge, ['listeners']);
    return goOn({ ...turn, isAlone: true });
  });

/** How a turn ends. A lookup that has failed is told, and tried again, once all is done that can be without it. */
export function unlessFailed(outcome: Outcome, failure: PortcullisError | undefined): Outcome {
  if (failure !== undefined) throw failureBeside(outcome.withheld, failure);
  return outcome;
}

/**
 * Reads what is in doubt, plans, and carries out the plan; again if the calls have left doubts.
 * Everything learnt is in the entry, also when this rejects.
 */
export async function converge(service: Service, desired: Desired, turn: Stay, deps: ServiceDeps): Promise<Outcome> {
  const done: Action[] = [];
  let current = service;
  let lost: readonly string[] = [];
  const { use } = desired;
  if (!isAbout(desired, turn.entry.knowledge.observed)) turn.entry.knowledge = NOTHING_KNOWN;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { entry, signal, lane } = turn;
    if (use.kind === 'reused' && entry.knowledge.doubts.has('listeners')) entry.portsTaken = deps.ports.taken(use.id);
    await observe(desired, entry.knowledge, {
      hints: turn.hints,
      api: deps.clb,
      context: { signal, lane },
      learn: (known) => (entry.knowledge = known),
    });
    const { observed } = entry.knowledge;
    if (round === 0) lost = lostNames(desired, observed);
    const objections = turn.objectionsTo(desired, observed);
    const judged = { isRefused: turn.isRefused, objections };
    const heirs = deps.heirs(current, desired);
    const planned = { service: current, options: turn.options, desired, observed, ...judged, heirs };
    const { plan, failure } = await planFor(planned, deps, { signal, lane }, entry.certificates);
    const reached = { done, lost, objections, withheld: plan.withheld };
    if (plan.actions.length === 0) return unlessFailed({ ...reached, service: current }, failure);
    const shared = portsToTake(desired, plan);
    if (shared !== undefined && turn.isAlone !== true) {
      const so = current;
      const rest = await goOnAlone(shared, { service, turn }, deps, (stay) => converge(so, desired, stay, deps));
      if (rest === undefined) return { ...reached, service: current, waitMs: PORTS_RETRY_MS };
      return { ...rest, lost, done: [...done, ...rest.done] };
    }
    const waitMs = waitFor(current, plan.actions, entry, deps);
    if (waitMs > 0) {
      lookAgain(entry);
      return { ...reached, service: current, waitMs };
    }
    turn.log.debug({ plan: renderPlan(plan, describeAction) }, 'planned');
    const undertaking = { service: current, desired, actions: plan.actions, done };
    current = await act(undertaking, turn, deps).catch((error: unknown) => {
      throw failureBeside(plan.withheld, error);
    });
    if (isCertain(desired, entry.knowledge)) return unlessFailed({ ...reached, service: current }, failure);
  }
  throw new PortcullisError('Busy', 'the load balancer is being changed by somebody else at the same time');
}

/** What is about to be done for a Service. */
interface Undertaking {
  readonly service: Service;
  readonly desired: Desired;
  readonly actions: readonly Action[];
  /** Gets every action that was carried out. */
  readonly done: Action[];
}

/** Marks the Service, then makes the calls. Answers it as the mark left it. */
async function act(
  { service, desired, actions: planned, done }: Undertaking,
  turn: Stay,
  deps: ServiceDeps,
): Promise<Service> {
  const { entry, signal, lane } = turn;
  const creation = creationIn(planned);
  const intent = creation === undefined ? undefined : chooseIntent(service, creation, entry, deps);
  const where = desired.kind === 'present' ? { use: placeOf(desired.use) } : {};
  const begun = await begin(service, { ...where, ...(intent === undefined ? {} : { intent }) }, turn, deps);
  const isResumed = intent !== undefined && entry.creation?.isFresh === false;
  // What a load balancer holds that an earlier process may have made is not known until it is read.
  const actions = isResumed && creation !== undefined ? [creation] : planned;
  const token = clientToken(entry.uid, intent ?? '');
  await apply(
    { actions, observed: entry.knowledge.observed },
    deps.clb,
    { signal, lane, clientToken: token },
    {
      done: (action, observed) => {
        done.push(action);
        turn.count();
        rememberListener(action, observed, deps.deletedListeners);
        entry.knowledge = { ...entry.knowledge, observed };
        if (action.kind === 'update-backends') tellHeirs(service, desired, action, deps);
        if (turn.isAlone === true && action.kind === 'create-listener') tookPort(entry, observed, deps.ports);
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

/** Those who have been given backends know nothing of it. */
function tellHeirs(
  service: Service,
  { owner, use }: Desired,
  { group, backends }: Extract<Action, { readonly kind: 'update-backends' }>,
  { caches, memory }: ServiceDeps,
): void {
  if (use.kind === 'owned' || !backends.some(({ description }) => isOthersName(owner, description))) return;
  for (const key of neighbours(use.id, keyOf(service), caches)) memory.doubt(key, [`group:${group}`]);
}

function tookPort(entry: Entry, { loadBalancer }: Observed, ports: SharedPorts): void {
  if (loadBalancer === undefined) return;
  ports.took(loadBalancer.id);
  entry.portsTaken += 1;
}

/** An interface that the cloud does not take has perhaps lost the address to another. */
function forgetAddresses({ addresses }: Entry, action: Action): void {
  if (!('backends' in action)) return;
  for (const backend of action.backends) if (backend.type === 'eni') addresses.delete(backend.serverIp);
}
