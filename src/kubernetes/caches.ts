import type { Clock } from '../base/clock.ts';
import {
  BINDING_INDEX,
  gatesOf,
  INDEX,
  NODE_INDEX,
  POD_INDEX,
  READINESS_GATE,
  type KubernetesCaches,
} from '../controller/kubernetes-interface.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../inventory/binding.ts';
import {
  CLASSIC_LOAD_BALANCERS,
  CLOUD_INVENTORIES,
  type ClassicLoadBalancer,
  type CloudInventory,
} from '../inventory/custom-resources.ts';
import { OWNER_INDEX } from '../inventory/load-balancers-by-owner.ts';
import { REUSE_INDEX } from '../inventory/reuse-index.ts';
import type { Logger } from '../base/log.ts';
import {
  ENDPOINTS,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  SERVICES,
  SERVICE_NAME_LABEL,
  objectKey,
  type EndpointSlice,
  type KubernetesObject,
  type Service,
} from '../base/kubernetes-objects.ts';
import type { Indexes, Watched } from '../base/cache-interfaces.ts';
import { areOfAService, endpointsAsSlices } from './endpoints-as-slices.ts';
import type { ReflectorMetrics } from './metrics.ts';
import { READING, Reflector } from './reflector.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { SharedTexts } from './string-interning.ts';
import { SLICE_COLUMNS } from './endpoint-slice-packing.ts';
import { Cache, type CacheOptions } from './cache.ts';
import type { Requests } from './transport.ts';
import {
  trimBinding,
  trimBindingForRules,
  trimEndpoints,
  trimEndpointSlice,
  trimInventory,
  trimNode,
  trimPod,
} from './trim-objects.ts';
import { trimService, trimServiceForRules } from './trim-service.ts';

/** The options that all caches of a process share. */
export interface CachesOptions {
  readonly transport: Requests;
  readonly clock: Clock;
  readonly metrics: ReflectorMetrics;
  readonly log: Logger;
  readonly random?: () => number;
}

/** Caches that follow the API server while `run` runs. */
export interface FollowingCaches {
  /** Follows the API server until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when each cache contains its first complete list. Rejects with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>;
  /** The readiness checks by kind. A check returns the problem of the first list, and undefined once the list is complete. */
  readonly checks: Readonly<Record<string, () => string | undefined>>;
}

const SLICE_INDEX: Indexes<EndpointSlice> = {
  [INDEX.slicesByService]: ({ metadata }) => {
    const service = metadata.labels?.[SERVICE_NAME_LABEL];
    return service === undefined ? [] : [objectKey(service, metadata.namespace)];
  },
};

/** The caches of the controllers. */
export interface ControllerCaches extends KubernetesCaches, FollowingCaches {
  readonly cloudInventories: Watched<CloudInventory>;
}

/** The API that lists the pods behind Services. `endpoints` is for clusters without EndpointSlices. */
export type EndpointSource = 'slices' | 'endpoints';

/** Returns the caches of the controllers, empty until `run` is called. */
export function controllerCaches(options: CachesOptions, source: EndpointSource = 'slices'): ControllerCaches {
  const group = new Group(options, new SharedTexts());
  return {
    services: group.add({ resource: SERVICES, trim: trimService }, REUSE_INDEX),
    endpointSlices:
      source === 'slices'
        ? group.add({ resource: ENDPOINT_SLICES, trim: trimEndpointSlice, packing: SLICE_COLUMNS }, SLICE_INDEX)
        : endpointsAsSlices(group.add({ resource: ENDPOINTS, trim: trimEndpoints, keeps: areOfAService })),
    nodes: group.add({ resource: NODES, trim: trimNode }, NODE_INDEX),
    pods: group.add(
      { resource: PODS, trim: trimPod, mentions: READINESS_GATE, keeps: (pod) => gatesOf(pod).length > 0 },
      POD_INDEX,
    ),
    // Without the custom resources of Portcullis, these caches stay empty, and Nodes and Services still work.
    classicLoadBalancers: group.add(
      { resource: CLASSIC_LOAD_BALANCERS, trim: trimInventory<ClassicLoadBalancer>, isOptional: true },
      OWNER_INDEX,
    ),
    bindings: group.add({ resource: LOAD_BALANCER_BINDINGS, trim: trimBinding, isOptional: true }, BINDING_INDEX),
    cloudInventories: group.add({
      resource: CLOUD_INVENTORIES,
      trim: trimInventory<CloudInventory>,
      isOptional: true,
    }),
    ...group.following(),
  };
}

/** The caches that the rules of the webhook read: Services of type LoadBalancer, their bindings, and the inventory. */
export interface WebhookCaches extends FollowingCaches {
  readonly services: Watched<Service>;
  readonly bindings: Watched<LoadBalancerBinding>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly cloudInventories: Watched<CloudInventory>;
}

/** Returns the caches of the webhook, empty until `run` is called. */
export function webhookCaches(options: CachesOptions): WebhookCaches {
  const group = new Group(options);
  const select = { fieldSelector: 'spec.type=LoadBalancer' };
  return {
    services: group.add({ resource: SERVICES, trim: trimServiceForRules, select }, REUSE_INDEX),
    // Without this custom resource, rules use the status of Services and the inventory.
    bindings: group.add({ resource: LOAD_BALANCER_BINDINGS, trim: trimBindingForRules, isOptional: true }),
    classicLoadBalancers: group.add(
      { resource: CLASSIC_LOAD_BALANCERS, trim: trimInventory<ClassicLoadBalancer> },
      OWNER_INDEX,
    ),
    cloudInventories: group.add({ resource: CLOUD_INVENTORIES, trim: trimInventory<CloudInventory> }),
    ...group.following(),
  };
}

type CacheSelection<Kind extends KubernetesObject> = Pick<
  ReflectorOptions<Kind>,
  'resource' | 'trim' | 'keeps' | 'mentions' | 'select' | 'isOptional'
> &
  CacheOptions<Kind> & {
    /** The condition for reading the kind. Default: the kind is read from the start. */
    readonly need?: Need;
  };

/** A condition for reading a kind, which may become true later. While the condition is false, readiness does not wait for the cache of the kind. */
export interface Need {
  readonly hasArisen: () => boolean;
  /** Resolves when the condition is true or the signal is aborted. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
}

interface Member {
  readonly plural: string;
  readonly reflector: Pick<Reflector<KubernetesObject>, 'run' | 'problem'>;
  readonly cache: Pick<Watched<KubernetesObject>, 'hasSynced'>;
  readonly need: Need | undefined;
}

const isReady = ({ cache, need }: Member): boolean => cache.hasSynced() || need?.hasArisen() === false;

/** Follows a kind once its condition is true. */
async function runWhenNeeded(
  { plural: resource, reflector, need }: Member,
  { clock, metrics }: CachesOptions,
  signal: AbortSignal,
): Promise<void> {
  await need?.wait(signal);
  // An alert about old events must also cover a kind without events.
  metrics.lastEvent.set({ resource }, clock.now() / 1000);
  await reflector.run(signal);
}

/** A group of caches that start and become ready together. Each cache has a reflector, which lists and watches a kind. */
export class Group {
  readonly #options: CachesOptions;
  readonly #members: Member[] = [];
  readonly #texts: SharedTexts | undefined;

  /** `texts` shares equal texts between objects. Sharing takes a tenth of the reading time, so groups of small caches omit `texts`. */
  constructor(options: CachesOptions, texts?: SharedTexts) {
    this.#options = options;
    this.#texts = texts;
  }

  add<Kind extends KubernetesObject>({ need, ...kept }: CacheSelection<Kind>, indexes?: Indexes<Kind>): Cache<Kind> {
    const cache = new Cache<Kind>(this.#options.log, indexes, kept);
    const { trim, packing } = kept;
    const texts = packing === undefined ? this.#texts : undefined;
    const trimAndShare = texts === undefined ? trim : (object: Kind) => texts.share(trim(object));
    const reflector = new Reflector({ random: Math.random, ...this.#options, ...kept, trim: trimAndShare, cache });
    this.#members.push({ plural: kept.resource.plural, reflector, cache, need });
    return cache;
  }

  following(): FollowingCaches {
    const members = this.#members;
    const { clock } = this.#options;
    return {
      run: async (signal) => {
        await Promise.all(members.map((member) => runWhenNeeded(member, this.#options, signal)));
      },
      synced: async (signal) => {
        while (!members.every(isReady)) await clock.sleep(SYNC_POLL_MS, signal);
      },
      checks: Object.fromEntries(
        members.map((member) => [
          `informer-${member.plural}`,
          () => (isReady(member) ? undefined : (member.reflector.problem() ?? READING)),
        ]),
      ),
    };
  }
}

const SYNC_POLL_MS = 20;
