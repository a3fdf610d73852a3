import type { EventRecorder, EventTarget, KubernetesApi } from '../../src/controller/kubernetes-interface.ts';
import { PortcullisError } from '../../src/base/errors.ts';
import type { CloudInventory } from '../../src/inventory/custom-resources.ts';
import { LOAD_BALANCER_BINDINGS } from '../../src/inventory/binding.ts';
import {
  keyOf,
  NAMESPACES,
  objectKey,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
} from '../../src/base/kubernetes-objects.ts';
import { Follower } from './process-caches.ts';
import { assertLabels, assertSameLoadBalancer, KUBE_SYSTEM } from './server-validation.ts';
import { mergePatch, type Json } from './merge-patch.ts';
import { asStored } from './stored-status.ts';
import { asMergePatch } from './strategic-patch.ts';
import type { WatchedDouble } from './watched-cache.ts';

/** A write of a controller. */
export interface Write {
  readonly verb: 'create' | 'patch' | 'delete';
  readonly plural: string;
  readonly key: string;
  readonly subresource?: 'status';
  readonly patch?: object;
}

export interface EmittedEvent {
  readonly target: EventTarget;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** A change of a stored object. */
export interface StoredChange {
  readonly by: 'controller' | 'others';
  readonly plural: string;
  readonly key: ObjectKey;
  readonly before?: KubernetesObject;
  readonly after?: KubernetesObject;
  /** True if the object was deleted with the definition of its kind. */
  readonly isDefinitionDeleted?: boolean;
}

/** An observer that receives every change before all clients. */
export interface ObjectWatcher {
  stored(change: StoredChange): void;
  onEvent(event: EmittedEvent): void;
}

const NO_WATCHER: ObjectWatcher = { stored: () => undefined, onEvent: () => undefined };

/** A function called before and after a write. It may throw or never resolve, to simulate a dead process or a lost answer. */
export type WriteHook = (write: Write, when: 'before' | 'after') => Promise<void>;

const PASS: WriteHook = async () => undefined;

type Store = Map<ObjectKey, KubernetesObject>;

const plain = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Returns an object as the API server answers a write: with managed fields, which caches do not keep. */
const whole = <Kind extends KubernetesObject>(object: Kind): Kind => ({
  ...object,
  metadata: { ...object.metadata, managedFields: object.metadata.managedFields ?? [] },
});

/** Client of one process. */
export interface Client extends KubernetesApi {
  readonly cloudInventories: WatchedDouble<CloudInventory>;
  /** Stops receiving changes. */
  disconnect(): void;
}

/** An API server in memory, for controllers in virtual time. Has conflicts, patches, finalizers and watches, but no schemas and admission. */
export class KubernetesDouble {
  readonly writes: Write[] = [];
  readonly events: EmittedEvent[] = [];
  readonly #stores = new Map<string, Store>();
  readonly #followers = new Set<Follower>();
  readonly #unserved = new Set<string>();
  readonly #watcher: ObjectWatcher;
  #by: StoredChange['by'] = 'others';
  #paused: (() => void)[] | undefined;
  #version = 100;
  #uids = 0;
  #creations = 0;

  constructor(watcher: ObjectWatcher = NO_WATCHER) {
    this.#watcher = watcher;
    this.#store(NAMESPACES).set(objectKey('kube-system'), KUBE_SYSTEM);
  }

  /** Connects a process that lists and watches from now on. */
  connect(hook: WriteHook = PASS): Client {
    const follower = new Follower();
    for (const [plural, store] of this.#stores) {
      for (const object of store.values()) follower.put(plural, object);
    }
    this.#followers.add(follower);
    const events: EventRecorder = {
      record: (target, type, reason, message) => {
        this.#watcher.onEvent({ target, type, reason, message });
        this.events.push({ target, type, reason, message });
      },
    };
    return {
      services: follower.services,
      endpointSlices: follower.endpointSlices,
      nodes: follower.nodes,
      pods: follower.pods,
      classicLoadBalancers: follower.classicLoadBalancers,
      bindings: follower.bindings,
      cloudInventories: follower.cloudInventories,
      disconnect: () => this.#followers.delete(follower),
      events,
      recorder: () => events,
      writer: {
        get: async (resource, key) => this.#find(resource, key),
        create: (resource, object) =>
          this.#written(hook, { verb: 'create', plural: resource.plural, key: '', patch: object }, () =>
            this.#created(resource, object),
          ),
        mergePatch: (resource, key, patch, { subresource, strategic }) =>
          this.#written(
            hook,
            { verb: 'patch', plural: resource.plural, key, patch, ...(subresource ? { subresource } : {}) },
            () => {
              const merged = strategic === true ? asMergePatch(this.#find(resource, key), patch) : patch;
              return whole(this.#patched(resource, key, merged));
            },
          ),
        delete: async (resource, key, precondition) => {
          await this.#written(hook, { verb: 'delete', plural: resource.plural, key }, () => {
            this.#require(this.#find(resource, key), precondition);
            this.delete(resource, key);
          });
        },
      },
    };
  }

  /** Stores an object as another writer: creates a new object, or replaces an existing one. */
  put<Kind extends KubernetesObject>(resource: Resource<Kind>, object: object): Kind {
    const copy = plain(object) as unknown as Kind;
    const before = this.#store(resource).get(keyOf(copy));
    const uid = before?.metadata.uid ?? (copy.metadata.uid || `uid-${String((this.#uids += 1))}`);
    return this.#save(resource, { ...copy, metadata: { ...copy.metadata, uid } });
  }

  /** Patches an object as another writer. */
  patch<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey, patch: object): Kind {
    return this.#patched(resource, key, patch);
  }

  /** Deletes an object as a user does. The object stays, with a deletion timestamp, until it has no finalizers. */
  delete(resource: Resource, key: ObjectKey): void {
    const object = this.#find(resource, key);
    if ((object.metadata.finalizers ?? []).length > 0) {
      this.#patched(resource, key, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
      return;
    }
    this.#remove(resource, object);
  }

  /** Deletes the definition of a kind with all of its objects. */
  unserve(resource: Resource): void {
    this.#unserved.add(resource.plural);
    for (const object of this.all(resource)) this.#remove(resource, object);
  }

  serve({ plural }: Resource): void {
    this.#unserved.delete(plural);
    for (const follower of this.#followers) {
      const cache = follower.cacheOf(plural);
      cache?.setSynced(false);
      cache?.setSynced(true);
    }
  }

  get<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey): Kind | undefined {
    return this.#store(resource).get(key) as Kind | undefined;
  }

  /** Creates an object as the controller does. The object must not exist. */
  #created<Kind extends KubernetesObject>(resource: Resource<Kind>, object: object): Kind {
    const copy = plain(object) as unknown as Kind;
    if (this.#unserved.has(resource.plural))
      throw new PortcullisError('NotFound', 'the server could not find the requested resource');
    if (this.#store(resource).has(keyOf(copy))) throw new PortcullisError('Conflict', 'the object already exists');
    const uid = `created-${String((this.#creations += 1))}`;
    return this.#save(resource, { ...copy, metadata: { ...copy.metadata, uid } });
  }

  all<Kind extends KubernetesObject>(resource: Resource<Kind>): readonly Kind[] {
    return [...this.#store(resource).values()] as Kind[];
  }

  async #written<Value>(hook: WriteHook, write: Write, act: () => Value): Promise<Value> {
    await hook(write, 'before');
    const value = this.#asController(act);
    this.writes.push(write);
    await hook(write, 'after');
    return value;
  }

  #asController<Value>(act: () => Value): Value {
    this.#by = 'controller';
    try {
      return act();
    } finally {
      this.#by = 'others';
    }
  }

  #changed(plural: string, key: ObjectKey, before?: KubernetesObject, after?: KubernetesObject): void {
    const objects = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    const isDefinitionDeleted = this.#unserved.has(plural);
    this.#watcher.stored({ by: this.#by, plural, key, ...objects, isDefinitionDeleted });
  }

  #patched<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey, patch: object): Kind {
    const before = this.#find(resource, key);
    const { resourceVersion, uid } =
      (patch as { metadata?: { resourceVersion?: string; uid?: string } }).metadata ?? {};
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw new PortcullisError('Conflict', `${key} has been changed`);
    if (uid !== undefined && uid !== before.metadata.uid) throw new PortcullisError('Rejected', 'uid is immutable');
    const after = mergePatch(plain(before), plain(patch)) as unknown as Kind;
    if (resource.plural === LOAD_BALANCER_BINDINGS.plural) assertSameLoadBalancer(before, after);
    return this.#save(resource, after);
  }

  #save<Kind extends KubernetesObject>(resource: Resource<Kind>, object: Kind): Kind {
    assertLabels(object);
    const versioned: Kind = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String((this.#version += 1)) },
    };
    const before = this.#store(resource).get(keyOf(object));
    const stored = before === undefined ? versioned : asStored(resource.plural, versioned);
    const isOver = stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0;
    if (isOver) this.#remove(resource, stored);
    else {
      this.#changed(resource.plural, keyOf(stored), before, stored);
      this.#store(resource).set(keyOf(stored), stored);
      this.#notify(() => this.#followers.forEach((follower) => follower.put(resource.plural, stored)));
    }
    return stored;
  }

  #remove(resource: Resource, object: KubernetesObject): void {
    this.#changed(resource.plural, keyOf(object), this.#store(resource).get(keyOf(object)));
    this.#store(resource).delete(keyOf(object));
    this.#notify(() => this.#followers.forEach((follower) => follower.cacheOf(resource.plural)?.remove(keyOf(object))));
  }

  /** Rejects a write for another object of the same name, or for an older version. */
  #require({ metadata }: KubernetesObject, { uid, resourceVersion }: Parameters<Client['writer']['delete']>[2]): void {
    const isSame = (uid ?? metadata.uid) === metadata.uid;
    if (isSame && (resourceVersion ?? metadata.resourceVersion) === metadata.resourceVersion) return;
    throw new PortcullisError('Conflict', `${metadata.name} has been changed`);
  }

  /** Delays all watch events until `release`. */
  pause(): void {
    this.#paused ??= [];
  }

  release(): void {
    const paused = this.#paused ?? [];
    this.#paused = undefined;
    for (const notify of paused) notify();
  }

  #notify(notify: () => void): void {
    if (this.#paused === undefined) notify();
    else this.#paused.push(notify);
  }

  #find<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey): Kind {
    const object = this.#store(resource).get(key);
    if (object === undefined) throw new PortcullisError('NotFound', `${resource.plural} ${key} not found`);
    return object as Kind;
  }

  #store(resource: Resource): Store {
    const store = this.#stores.get(resource.plural) ?? new Map<ObjectKey, KubernetesObject>();
    this.#stores.set(resource.plural, store);
    return store;
  }
}
