import { SERVICES, type KubernetesObject, type ObjectKey, type Service } from '../../objects.ts';
import type { KubernetesWriter } from '../port.ts';

/** Versions of a Service that are remembered; news of older ones comes long before they would be forgotten. */
const REMEMBERED = 4;

/** Tells changes of Services that are our own writes from those that others make, also where the news of a write comes before its answer. */
export class OwnWrites {
  readonly #versions = new Map<ObjectKey, readonly string[]>();
  /** What has to wait until it is known what our write has made of a Service. */
  readonly #waiting = new Map<ObjectKey, (() => void)[]>();

  /** A writer whose changes of Services are known as ours. There is one at a time for a Service. */
  through(writer: KubernetesWriter): KubernetesWriter {
    return {
      get: (...call) => writer.get(...call),
      create: (...call) => writer.create(...call),
      delete: (...call) => writer.delete(...call),
      mergePatch: async (...call) => {
        const [{ plural }, key] = call;
        if (plural !== SERVICES.plural) return writer.mergePatch(...call);
        const waiting: (() => void)[] = [];
        this.#waiting.set(key, waiting);
        try {
          const written = await writer.mergePatch(...call);
          this.#remember(key, written);
          return written;
        } finally {
          this.#waiting.delete(key);
          for (const judge of waiting) judge();
        }
      },
    };
  }

  /** Calls `hear` unless the change to `after` is our own: at once, or when the write that is under way has been answered. */
  unlessOwn(key: ObjectKey, after: Service | undefined, hear: () => void): void {
    if (after === undefined) this.#versions.delete(key);
    const judge = (): void => {
      const version = after?.metadata.resourceVersion;
      if (version === undefined || !(this.#versions.get(key) ?? []).includes(version)) hear();
    };
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) judge();
    else waiting.push(judge);
  }

  #remember(key: ObjectKey, { metadata }: KubernetesObject): void {
    const known = this.#versions.get(key) ?? [];
    this.#versions.set(key, [...known, metadata.resourceVersion].slice(-REMEMBERED));
  }
}
