import type { KubernetesObject, ObjectKey } from '../../../src/base/objects.ts';

/** The objects of a scenario as the API server has them, from the answers to all that is written. */
export class Shelf {
  readonly #objects = new Map<string, KubernetesObject>();

  get(plural: string, key: ObjectKey): KubernetesObject | undefined {
    return this.#objects.get(`${plural} ${key}`);
  }

  ofKind(plural: string): readonly KubernetesObject[] {
    return [...this.#objects].flatMap(([id, object]) => (id.startsWith(`${plural} `) ? [object] : []));
  }

  /** Takes the answer to a write; absent when nothing has changed. `after` is absent of an object that is gone. */
  take(
    plural: string,
    key: ObjectKey,
    answered: KubernetesObject | undefined,
  ): { readonly before?: KubernetesObject; readonly after?: KubernetesObject } | undefined {
    const before = this.get(plural, key);
    const after = isGone(answered) ? undefined : answered;
    if (after !== undefined && before?.metadata.resourceVersion === after.metadata.resourceVersion) return undefined;
    if (after === undefined) this.#objects.delete(`${plural} ${key}`);
    else this.#objects.set(`${plural} ${key}`, after);
    return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }
}

/** The API server answers the last write of an object that goes with what it was. */
const isGone = (object: KubernetesObject | undefined): boolean =>
  object === undefined ||
  (object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0);
