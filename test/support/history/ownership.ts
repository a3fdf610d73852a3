import type { Service } from '../../../src/objects.ts';
import type { History, JournalEntry, LoadBalancerPicture, Stored } from './moment.ts';

export const FINALIZER = 'service.k8s.alibaba/resources';
export const DIRTY = 'portcullis.io/dirty';
export const DIGEST = 'portcullis.io/digest';
export const OWNER_TAG = 'kubernetes.do.not.delete';
export const CLUSTER_TAG = 'ack.aliyun.com';
const ANNOTATION = 'service.beta.kubernetes.io/';
const BRANDS = ['alibaba-cloud', 'alicloud'];

const OUR_AGENT = /(?:^| )portcullis(?:\/|$)/;

/** Told apart from the inventory, which only reads, and from what a test does by itself. */
export const isOurs = ({ userAgent }: JournalEntry): boolean => OUR_AGENT.test(userAgent);

export const isOurWrite = (call: JournalEntry): boolean => isOurs(call) && call.kind === 'write';

/** By UID: histories of thousands of Services ask for them again and again. */
const marks = new Map<string, string>();

/** What marks the load balancer of a Service. */
export function ownerMark(uid: string): string {
  const known = marks.get(uid);
  if (known !== undefined) return known;
  const mark = `a${uid.replaceAll('-', '')}`.slice(0, 32);
  marks.set(uid, mark);
  return mark;
}

/** `namespace/name` of the Service that a listener, group or backend is named after; absent for a person's name. */
export function serviceNamed(text: string): string | undefined {
  const [prefix, , name, namespace, cluster, ...rest] = text.split('/');
  if (prefix !== 'k8s' || rest.length > 0 || cluster === undefined) return undefined;
  return `${namespace ?? ''}/${name ?? ''}`;
}

/** What an annotation of a Service says, in whichever spelling. */
export function annotationOf({ metadata }: Service, suffix: string): string | undefined {
  const keys = BRANDS.map((brand) => `${ANNOTATION}${brand}-loadbalancer-${suffix}`);
  return keys.map((key) => metadata.annotations?.[key]).find((value) => value !== undefined);
}

export const hasFinalizer = ({ metadata }: Service): boolean => metadata.finalizers?.includes(FINALIZER) ?? false;

export const isDirty = ({ metadata }: Service): boolean => metadata.labels?.[DIRTY] !== undefined;

export const wantsLoadBalancer = ({ metadata, spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && metadata.deletionTimestamp === undefined;

/** Whether a load balancer was made for a Service, as its tag says or, where the tag is lost, its name. */
export const isOwnedBy = ({ tags, name }: LoadBalancerPicture, { metadata: { uid } }: Service): boolean =>
  (tags[OWNER_TAG] ?? name) === ownerMark(uid);

/** The load balancer that a call names. */
export const targetOf = ({ subject, parameters }: JournalEntry): string | undefined =>
  subject ?? parameters['LoadBalancerId'] ?? parameters['ResourceId.1'];

/** The value of a tag in a creating call. */
export function tagIn({ parameters }: JournalEntry, key: string): string | undefined {
  const [name] = Object.entries(parameters).find(
    ([field, value]) => /^Tag\.\d+\.Key$/.test(field) && value === key,
  ) ?? [''];
  return parameters[name.replace('.Key', '.Value')];
}

export type StoredService = Stored & { readonly before?: Service; readonly after?: Service };

/** Whether a moment is a change of a Service. */
export const isOfService = (moment: History[number]): moment is StoredService =>
  moment.kind === 'stored' && moment.plural === 'services';

/** The Services at one instant, while a history is gone through. */
export class Services {
  readonly #living = new Map<string, Service>();
  readonly #known = new Map<string, Service>();
  readonly #held = new Set<string>();
  readonly #users = new Map<string, Set<string>>();
  readonly #overriding = new Set<string>();

  /** Takes in what happened. */
  pass(moment: History[number]): void {
    if (!isOfService(moment)) return;
    const { key, after } = moment;
    if (after === undefined) this.#living.delete(key);
    else {
      this.#living.set(key, after);
      this.#known.set(after.metadata.uid, after);
      if (hasFinalizer(after)) this.#held.add(after.metadata.uid);
      this.#remember(after);
    }
  }

  /** Whether it owns a load balancer, names it, or has ever named it. */
  isUser(service: Service, target: LoadBalancerPicture): boolean {
    return isOwnedBy(target, service) || (this.#users.get(target.id)?.has(service.metadata.uid) ?? false);
  }

  /** Whether it has ever said that the listeners of what it reuses are its own. */
  overrode({ metadata }: Service): boolean {
    return this.#overriding.has(metadata.uid);
  }

  #remember(service: Service): void {
    const { uid, labels } = service.metadata;
    for (const id of [annotationOf(service, 'id'), labels?.['service.k8s.alibaba/loadbalancer-id']]) {
      if (id !== undefined) this.#users.set(id, (this.#users.get(id) ?? new Set()).add(uid));
    }
    if (annotationOf(service, 'force-override-listeners') === 'true') this.#overriding.add(uid);
  }

  /** Those that exist. */
  get living(): readonly Service[] {
    return [...this.#living.values()];
  }

  /** Those that exist or existed, as they were last. */
  get known(): readonly Service[] {
    return [...this.#known.values()];
  }

  /** The one of `namespace/name`. */
  named(key: string): Service | undefined {
    return this.#living.get(key);
  }

  /** The one that a load balancer with this mark was made for. */
  marked(mark: string | undefined): Service | undefined {
    return this.known.find(({ metadata }) => ownerMark(metadata.uid) === mark);
  }

  exists({ metadata }: Service): boolean {
    return this.living.some((service) => service.metadata.uid === metadata.uid);
  }

  /** Whether the finalizer was ever stored on it. */
  wasHeld({ metadata }: Service): boolean {
    return this.#held.has(metadata.uid);
  }

  /** Whom a changing call is for, as far as the call itself says: by what it names, else by whose load balancer it is about. */
  actorOf(call: JournalEntry, target: LoadBalancerPicture | undefined): Service | undefined {
    const { action, parameters } = call;
    if (action === 'CreateLoadBalancer') return this.marked(tagIn(call, OWNER_TAG));
    const name = parameters['VServerGroupName'] ?? parameters['Description'] ?? '';
    const key = serviceNamed(name);
    if (key !== undefined) return this.named(key) ?? this.known.find((service) => keyOf(service) === key);
    return target === undefined ? undefined : this.known.find((service) => isOwnedBy(target, service));
  }
}

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`;
