import { isDeepStrictEqual } from 'node:util';
import { hasReason, PortcullisError } from '../../../base/errors.ts';
import { BINDING_LABELS, LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../../inventory/binding.ts';
import {
  isOlder,
  keyOf,
  NAMESPACES,
  objectKey,
  type ObjectKey,
  type Service,
} from '../../../base/kubernetes-objects.ts';
import type { Change, Watched } from '../../../base/cache-interfaces.ts';
import { INDEX, type KubernetesWriter } from '../../kubernetes-interface.ts';
import { recordIn, type BindingRecord } from './binding-record.ts';

interface StoreDeps {
  readonly bindings: Watched<LoadBalancerBinding>;
  readonly writer: KubernetesWriter;
}

/** The read-only records of Services. */
export type BindingReader = Pick<BindingStore, 'recordOf'>;

/** The bindings of this cluster. */
export interface BindingSource {
  /** Returns the UIDs of Services that have or had bindings. `get` returns undefined if the binding no longer exists. */
  keys(): Iterable<ObjectKey>;
  get(key: ObjectKey): LoadBalancerBinding | undefined;
  /** Calls `handler` after each change. */
  onChange(handler: (key: ObjectKey, binding: LoadBalancerBinding) => void): void;
}

/** Returns a source that reads the bindings of a read-only cache. */
export const bindingsIn = (bindings: Watched<LoadBalancerBinding>): BindingSource => ({
  keys: () => Iterator.from(bindings.values()).map(keyOf),
  get: (key) => bindings.get(key),
  onChange: () => undefined,
});

/** Returns a reader of records in a read-only cache. */
export const recordsIn = (bindings: Pick<Watched<LoadBalancerBinding>, 'get'>): BindingReader => ({
  recordOf: ({ metadata }) => recordIn(bindings.get(objectKey(metadata.uid))),
});

/** A write that the cache does not show yet. */
type Written = { readonly binding: LoadBalancerBinding } | { readonly deletedVersion: string };

/** Returns a merge patch from one value to another. Removed properties are null. */
function mergePatchOf(before: object, after: object): object {
  const [was, is] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = keys.filter((key) => !isDeepStrictEqual(was[key], is[key]));
  return Object.fromEntries(changed.map((key) => [key, changeOf(was[key], is[key])]));
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changeOf(was: unknown, is: unknown): unknown {
  if (is === undefined) return null;
  return isPlainObject(was) && isPlainObject(is) ? mergePatchOf(was, is) : is;
}

const isOrphaned = ({ spec }: LoadBalancerBinding): boolean => spec.orphaned === true;

const NO_DEFINITION = 'NoDefinition';
const MISSING_CRD =
  'the CustomResourceDefinition loadbalancerbindings.portcullis.io is not installed; install the definition from manifests/crds';

/** Returns whether a write failed because the CustomResourceDefinition of bindings is not installed, so that no Service has a binding. */
export const isDefinitionMissing = (error: unknown): boolean =>
  error instanceof PortcullisError && error.code === NO_DEFINITION;

/** The bindings of all Services. An older copy in the cache never replaces a binding that this process has written. */
export class BindingStore implements BindingSource {
  readonly #cache: Watched<LoadBalancerBinding>;
  readonly #writer: KubernetesWriter;
  readonly #written = new Map<ObjectKey, Written>();
  readonly #onChange: ((key: ObjectKey, binding: LoadBalancerBinding) => void)[] = [];
  #clusterUid: string | undefined;

  constructor({ bindings, writer }: StoreDeps) {
    this.#cache = bindings;
    this.#writer = writer;
    bindings.onChange((change) => {
      this.#caughtUp(change);
      this.#notify(change.after ?? change.before);
    });
  }

  keys(): Iterable<ObjectKey> {
    return new Set([...Iterator.from(this.#cache.values()).map(keyOf), ...this.#written.keys()]);
  }

  /** Returns the binding of a Service. Excludes bindings of other clusters after the UID of this cluster is known. */
  get(key: ObjectKey): LoadBalancerBinding | undefined {
    const binding = this.#get(key);
    return binding === undefined || this.#isForeign(binding) ? undefined : binding;
  }

  onChange(handler: (key: ObjectKey, binding: LoadBalancerBinding) => void): void {
    this.#onChange.push(handler);
  }

  recordOf({ metadata }: Pick<Service, 'metadata'>): BindingRecord {
    return recordIn(this.#get(objectKey(metadata.uid)));
  }

  /** Returns the bindings of earlier Services with this name, except orphaned bindings. */
  ofPredecessors(key: ObjectKey, uid: string | undefined): readonly LoadBalancerBinding[] {
    return this.#cache
      .byIndex(INDEX.bindingsByService, key)
      .filter(({ metadata }) => metadata.name !== uid)
      .flatMap(({ metadata }) => this.#get(objectKey(metadata.name)) ?? [])
      .filter((binding) => !isOrphaned(binding));
  }

  /** Stores a record. Rejects with `Conflict` if another client changed the binding; the store then has the changed binding. */
  async write(service: Service, record: BindingRecord, signal: AbortSignal): Promise<void> {
    const key = objectKey(service.metadata.uid);
    const before = this.#get(key);
    await this.#store(key, before === undefined, signal, () => {
      if (before === undefined) return this.#create(service, record, signal);
      const { service: named, clusterUID } = before.spec;
      return this.#patch(before, { service: named, clusterUID, ...record }, signal);
    });
  }

  /** Marks the binding of a vanished Service as orphaned, so that the controller does not clean up its resources. */
  async orphan(binding: LoadBalancerBinding, signal: AbortSignal): Promise<void> {
    const spec = { ...binding.spec, orphaned: true as const };
    await this.#store(keyOf(binding), false, signal, () => this.#patch(binding, spec, signal));
  }

  /** Removes `orphaned` from the binding, because the Service exists. */
  async claim(service: Service, signal: AbortSignal): Promise<void> {
    const binding = this.#get(objectKey(service.metadata.uid));
    if (binding !== undefined && isOrphaned(binding)) await this.write(service, recordIn(binding), signal);
  }

  /** Deletes the binding of a Service; does nothing without a binding. */
  async remove(uid: string, signal: AbortSignal): Promise<void> {
    const key = objectKey(uid);
    const before = this.#get(key);
    if (before === undefined) return;
    const { resourceVersion } = before.metadata;
    const wasCached = this.#cache.get(key) !== undefined;
    try {
      await this.#writer.delete(LOAD_BALANCER_BINDINGS, key, { uid: before.metadata.uid, resourceVersion }, signal);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw await this.#afterFailure(key, false, error, signal);
    }
    // The cache may have shown the deletion before the response.
    if (wasCached && this.#cache.get(key) === undefined) this.#written.delete(key);
    // The remembered deletion hides a binding that the cache still has or receives late.
    else this.#written.set(key, { deletedVersion: resourceVersion });
    this.#notify(before);
  }

  /** Returns whether another cluster wrote a binding, as after the restore of a backup. Reads the UID of this cluster once. */
  async isOfOtherCluster({ spec }: LoadBalancerBinding, signal: AbortSignal): Promise<boolean> {
    return spec.clusterUID !== (await this.#ownCluster(signal));
  }

  async #create(service: Service, record: BindingRecord, signal: AbortSignal): Promise<LoadBalancerBinding> {
    const { uid, namespace, name } = service.metadata;
    const clusterUID = await this.#ownCluster(signal);
    const { group, version, kind } = LOAD_BALANCER_BINDINGS;
    return this.#writer.create(
      LOAD_BALANCER_BINDINGS,
      {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name: uid, labels: BINDING_LABELS },
        spec: { service: { namespace, name }, clusterUID, ...record },
      },
      signal,
    );
  }

  async #store(
    key: ObjectKey,
    isCreation: boolean,
    signal: AbortSignal,
    send: () => Promise<LoadBalancerBinding>,
  ): Promise<void> {
    try {
      const binding = await send();
      this.#written.set(key, { binding });
      this.#notify(binding);
    } catch (error) {
      throw await this.#afterFailure(key, isCreation, error, signal);
    }
  }

  #patch(
    before: LoadBalancerBinding,
    after: LoadBalancerBinding['spec'],
    signal: AbortSignal,
  ): Promise<LoadBalancerBinding> {
    const { resourceVersion, name, uid } = before.metadata;
    const patch = { metadata: { resourceVersion, uid }, spec: mergePatchOf(before.spec, after) };
    return this.#writer.mergePatch(LOAD_BALANCER_BINDINGS, objectKey(name), patch, {}, signal);
  }

  /** Reads the binding after a failed write if its stored state is unknown, so that the next reconcile starts from the stored state. */
  async #afterFailure(key: ObjectKey, isCreation: boolean, error: unknown, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof PortcullisError)) return error;
    if (isCreation && error.reason === 'NotFound')
      return new PortcullisError('Unavailable', MISSING_CRD, { code: NO_DEFINITION, cause: error });
    const isOutdated = ['Conflict', 'OutcomeUnknown', 'NotFound', 'Rejected'].includes(error.reason);
    if (!isOutdated) return error;
    try {
      const binding = await this.#writer.get(LOAD_BALANCER_BINDINGS, key, signal);
      this.#written.set(key, { binding });
      this.#notify(binding);
    } catch (failure) {
      if (!hasReason(failure, 'NotFound')) return error;
      const before = this.#get(key);
      if (before === undefined) return error;
      this.#written.set(key, { deletedVersion: before.metadata.resourceVersion });
      this.#notify(before);
    }
    return error;
  }

  #get(key: ObjectKey): LoadBalancerBinding | undefined {
    const cached = this.#cache.get(key);
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if ('binding' in written) {
      const { resourceVersion } = written.binding.metadata;
      if (cached === undefined || isOlder(cached.metadata.resourceVersion, resourceVersion)) return written.binding;
    } else if (cached === undefined || !isOlder(written.deletedVersion, cached.metadata.resourceVersion)) {
      return undefined;
    }
    this.#written.delete(key);
    return cached;
  }

  /** Forgets a write after the cache shows the write, or after another client deleted the binding. */
  #caughtUp({ before, after }: Change<LoadBalancerBinding>): void {
    const object = after ?? before;
    if (object === undefined) return;
    const key = keyOf(object);
    const written = this.#written.get(key);
    if (written === undefined) return;
    const isGone = after === undefined;
    if ('deletedVersion' in written) {
      if (isGone) this.#written.delete(key);
      return;
    }
    const { uid, resourceVersion } = written.binding.metadata;
    const isSeen = !isOlder(object.metadata.resourceVersion, resourceVersion);
    // A deletion with another UID is the late event of an earlier binding of this name.
    if (isSeen || (isGone && object.metadata.uid === uid)) this.#written.delete(key);
  }

  #notify(binding: LoadBalancerBinding | undefined): void {
    if (binding === undefined) return;
    for (const handler of this.#onChange) handler(keyOf(binding), binding);
  }

  #isForeign({ spec }: LoadBalancerBinding): boolean {
    return this.#clusterUid !== undefined && spec.clusterUID !== this.#clusterUid;
  }

  async #ownCluster(signal: AbortSignal): Promise<string> {
    if (this.#clusterUid !== undefined) return this.#clusterUid;
    this.#clusterUid = (await this.#writer.get(NAMESPACES, objectKey('kube-system'), signal)).metadata.uid;
    for (const binding of this.#cache.values()) if (this.#isForeign(binding)) this.#notify(binding);
    return this.#clusterUid;
  }
}
