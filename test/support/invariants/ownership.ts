import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { GroupPicture, History, JournalEntry, LoadBalancerPicture, Stored } from './moment.ts';
import { groupIn, listenersIn, membersIn, presentIn } from './call-parameters.ts';

/** The names that prove ownership, written out here, so that a mistake in the sources is not repeated. */
export const FINALIZER = 'service.k8s.alibaba/resources';
export const OWNER_TAG = 'kubernetes.do.not.delete';
export const CLUSTER_TAG = 'ack.aliyun.com';
export const RECORDED = 'service.k8s.alibaba/loadbalancer-id';
const ANNOTATION = 'service.beta.kubernetes.io/';
const BRANDS = ['alibaba-cloud', 'alicloud'];

const OUR_AGENT = /(?:^| )portcullis(?:\/|$)/;

/** Returns whether the controller sent a call. Calls of the read-only inventory and of tests do not count. */
export const isOurs = ({ userAgent }: JournalEntry): boolean => OUR_AGENT.test(userAgent);

export const isOurWrite = (call: JournalEntry): boolean => isOurs(call) && call.kind === 'write';

/** The owner tags by UID, as a cache for histories of thousands of Services. */
const marks = new Map<string, string>();

/** Returns the owner tag of a Service. */
export function ownerMark(uid: string): string {
  const known = marks.get(uid);
  if (known !== undefined) return known;
  const mark = `a${uid.replaceAll('-', '')}`.slice(0, 32);
  marks.set(uid, mark);
  return mark;
}

/** The parts of the name of a listener, group or backend. */
export interface Named {
  /** `namespace/name` of the Service. */
  readonly key: string;
  readonly clusterId: string;
}

/** Returns the parts of a name in the controller's scheme. Undefined for a user's name. */
export function nameIn(text: string): Named | undefined {
  const [prefix, , name, namespace, clusterId, ...rest] = text.split('/');
  if (prefix !== 'k8s' || rest.length > 0 || clusterId === undefined) return undefined;
  return { key: `${namespace ?? ''}/${name ?? ''}`, clusterId };
}

/** Returns `namespace/name` of the Service in the name of a listener, group or backend. Undefined for a user's name. */
export const serviceNamed = (text: string): string | undefined => nameIn(text)?.key;

/** Returns whether a group, or a backend in it, is named after a Service. */
export const isUsedBy = ({ name, backends }: GroupPicture, service: Service): boolean =>
  [name, ...backends.map(({ description = '' }) => description)].some((text) => serviceNamed(text) === keyOf(service));

/** Returns the value of an annotation under its current or deprecated key. */
export function annotationOf({ metadata }: Service, suffix: string): string | undefined {
  const keys = BRANDS.map((brand) => `${ANNOTATION}${brand}-loadbalancer-${suffix}`);
  return keys.map((key) => metadata.annotations?.[key]).find((value) => value !== undefined);
}

export const hasFinalizer = ({ metadata }: Service): boolean => metadata.finalizers?.includes(FINALIZER) ?? false;

type Binding = LoadBalancerBinding;

export const hasOperation = (binding: Binding | undefined): boolean => binding?.spec.operation !== undefined;

/** Returns whether a binding records that a call may yet take effect. */
export const isInProgress = (binding: Binding | undefined): boolean => binding?.spec.operation?.state === 'InProgress';

/** Returns whether a binding records that all of the Service is synced. */
export const isSynced = (binding: Binding | undefined): boolean =>
  binding?.spec.syncedDigest !== undefined && !hasOperation(binding);

export const wantsLoadBalancer = ({ metadata, spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && metadata.deletionTimestamp === undefined;

/** Returns whether a load balancer is owned by a Service: by its tag, or by its name if the tag is lost. */
export const isOwnedBy = ({ tags, name }: LoadBalancerPicture, { metadata: { uid } }: Service): boolean =>
  (tags[OWNER_TAG] ?? name) === ownerMark(uid);

/** Returns the id of the load balancer that a call names. */
export const targetOf = ({ subject, parameters }: JournalEntry): string | undefined =>
  subject ?? parameters['LoadBalancerId'] ?? parameters['ResourceId.1'];

/** Returns the value of a tag in a creating call. */
export function tagIn({ parameters }: JournalEntry, key: string): string | undefined {
  const [name] = Object.entries(parameters).find(
    ([field, value]) => /^Tag\.\d+\.Key$/.test(field) && value === key,
  ) ?? [''];
  return parameters[name.replace('.Key', '.Value')];
}

export type StoredService = Stored & { readonly before?: Service; readonly after?: Service };

/** Returns whether a moment is a change of a Service. */
export const isOfService = (moment: History[number]): moment is StoredService =>
  moment.kind === 'stored' && moment.plural === 'services';

export type StoredBinding = Stored & { readonly before?: Binding; readonly after?: Binding };

/** Returns whether a moment is a change of a binding. */
export const isOfBinding = (moment: History[number]): moment is StoredBinding =>
  moment.kind === 'stored' && moment.plural === LOAD_BALANCER_BINDINGS.plural;

/** Returns the Service of a call: from present backends first, then from names in the call, then from its group and listeners. */
function serviceActing(call: JournalEntry, target: LoadBalancerPicture | undefined): string | undefined {
  const { parameters } = call;
  const owners = [
    ...presentIn(call, target).map(({ description }) => description),
    parameters['VServerGroupName'],
    parameters['Description'],
    ...membersIn(call).map((one) => one.description),
  ];
  const listeners = listenersIn(call, target).map(({ description }) => description);
  return [...owners, groupIn(call, target)?.name, ...listeners].flatMap((text) => serviceNamed(text ?? '') ?? [])[0];
}

const NOWHERE: ReadonlySet<string> = new Set();

/** The Services at each point of a history. Invariants ask this class which Service sent a call, or uses a load balancer. */
export class Services {
  readonly #living = new Map<string, Service>();
  readonly #known = new Map<string, Service>();
  readonly #managed = new Set<string>();
  readonly #named = new Map<string, Set<string>>();
  readonly #bindings = new Map<string, Binding>();
  /** UIDs of Services in cleanup. */
  readonly #cleanedUp = new Set<string>();

  /** Records a moment. */
  pass(moment: History[number]): void {
    if (isOfBinding(moment)) this.#bind(moment);
    if (!isOfService(moment)) return;
    const { key, after } = moment;
    if (after === undefined) this.#living.delete(key);
    else {
      this.#living.set(key, after);
      this.#known.set(after.metadata.uid, after);
      if (hasFinalizer(after)) this.#managed.add(after.metadata.uid);
      this.#remember(after);
    }
  }

  /** Returns the ids of all load balancers that the Service names or named, or that its binding or label recorded. */
  namedBy({ metadata }: Service): ReadonlySet<string> {
    return this.#named.get(metadata.uid) ?? NOWHERE;
  }

  /** Returns whether the Service owns, names or named a load balancer. */
  isUser(service: Service, target: LoadBalancerPicture): boolean {
    return isOwnedBy(target, service) || this.namedBy(service).has(target.id);
  }

  bindingOf(uid: string): Binding | undefined {
    return this.#bindings.get(uid);
  }

  #bind({ before, after }: StoredBinding): void {
    const uid = (after ?? before)?.metadata.name ?? '';
    if (after === undefined) this.#bindings.delete(uid);
    else this.#bindings.set(uid, after);
    if (after?.spec.operation?.type === 'Cleanup') this.#cleanedUp.add(uid);
    else this.#cleanedUp.delete(uid);
    const id = after?.spec.loadBalancer?.id;
    if (id !== undefined) this.#named.set(uid, (this.#named.get(uid) ?? new Set()).add(id));
  }

  #remember(service: Service): void {
    const { uid, labels } = service.metadata;
    for (const id of [annotationOf(service, 'id'), labels?.[RECORDED]]) {
      if (id !== undefined) this.#named.set(uid, (this.#named.get(uid) ?? new Set()).add(id));
    }
  }

  /** Existing Services. */
  get living(): readonly Service[] {
    return [...this.#living.values()];
  }

  /** Existing and deleted Services in their last state. */
  get known(): readonly Service[] {
    return [...this.#known.values()];
  }

  /** Returns an existing or deleted Service in its last state. */
  withUid(uid: string): Service | undefined {
    return this.#known.get(uid);
  }

  /** Returns the existing Service with this `namespace/name`. */
  named(key: string): Service | undefined {
    return this.#living.get(key);
  }

  /** Returns the Service for which a load balancer with this owner tag was created. */
  marked(mark: string | undefined): Service | undefined {
    return this.known.find(({ metadata }) => ownerMark(metadata.uid) === mark);
  }

  exists({ metadata }: Service): boolean {
    return this.living.some((service) => service.metadata.uid === metadata.uid);
  }

  /** Returns whether the Service ever had the finalizer. */
  wasManaged({ metadata }: Service): boolean {
    return this.#managed.has(metadata.uid);
  }

  /**
   * Returns the deleted Service of a name whose cleanup is pending. A call is attributed to this Service rather than to a new Service of the same
   * name.
   */
  #vanished(key: string): Service | undefined {
    const known = [...this.#cleanedUp].flatMap((uid) => this.#known.get(uid) ?? []);
    return known.find((service) => keyOf(service) === key && !this.exists(service));
  }

  /** Returns the Service with a pending operation that owns a load balancer. A later Service of the same name does not match. */
  #working(services: readonly Service[], target: LoadBalancerPicture | undefined): Service | undefined {
    return services.find(
      (service) =>
        target !== undefined && isOwnedBy(target, service) && isInProgress(this.bindingOf(service.metadata.uid)),
    );
  }

  /** Returns the Service whose name is in a changing call or its target, else the owner of the load balancer. */
  actorOf(call: JournalEntry, target: LoadBalancerPicture | undefined): Service | undefined {
    if (call.action === 'CreateLoadBalancer') return this.marked(tagIn(call, OWNER_TAG));
    const key = serviceActing(call, target);
    if (key !== undefined) {
      const known = this.known.filter((service) => keyOf(service) === key);
      return this.#working(known, target) ?? this.#vanished(key) ?? this.named(key) ?? known[0];
    }
    return target === undefined ? undefined : this.known.find((service) => isOwnedBy(target, service));
  }
}

export const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`;
