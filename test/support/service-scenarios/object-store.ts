import type { KubernetesObject, ObjectKey } from '../../../src/base/kubernetes-objects.ts';

/** The objects of a scenario as stored by the API server, from the answers to all writes. Reports and histories read them here. */
export class ObjectStore {
  readonly #objects = new Map<string, KubernetesObject>();

  get(plural: string, key: ObjectKey): KubernetesObject | undefined {
    return this.#objects.get(`${plural} ${key}`);
  }

  ofKind(plural: string): readonly KubernetesObject[] {
    return [...this.#objects].flatMap(([id, object]) => (id.startsWith(`${plural} `) ? [object] : []));
  }

  /** Records the answer to a write. Returns undefined if nothing changed. `after` is undefined for a deleted object. */
  take(
    plural: string,
    key: ObjectKey,
    answered: KubernetesObject | undefined,
  ): { readonly before?: KubernetesObject; readonly after?: KubernetesObject } | undefined {
    const before = this.get(plural, key);
    const after = isDeleted(answered) ? undefined : answered;
    if (after !== undefined && before?.metadata.resourceVersion === after.metadata.resourceVersion) return undefined;
    if (after === undefined) this.#objects.delete(`${plural} ${key}`);
    else this.#objects.set(`${plural} ${key}`, after);
    return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }
}

/** Returns whether a write deleted the object, although the API server answers with the last state of the object. */
const isDeleted = (object: KubernetesObject | undefined): boolean =>
  object === undefined ||
  (object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0);
