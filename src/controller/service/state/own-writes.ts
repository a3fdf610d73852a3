import { LOAD_BALANCER_BINDINGS } from '../../../inventory/binding.ts';
import {
  objectKey,
  SERVICES,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
} from '../../../base/kubernetes-objects.ts';
import type { KubernetesWriter } from '../../kubernetes-interface.ts';

/** The number of remembered versions of an object. Older versions are dropped, because their events have already arrived. */
const REMEMBERED = 4;

const FOLLOWED: ReadonlySet<string> = new Set([SERVICES.plural, LOAD_BALANCER_BINDINGS.plural]);

type Path = `${string} ${ObjectKey}`;
const pathOf = ({ plural }: Resource, key: ObjectKey): Path => `${plural} ${key}`;

/** The recent writes of the controller to Services and bindings, whose events must not enqueue the Service again. */
export class OwnWrites {
  readonly #versions = new Map<Path, readonly string[]>();
  /** Changes that wait until the result of a write is known. */
  readonly #waiting = new Map<Path, (() => void)[]>();

  /** Returns a writer that remembers the versions of its writes. Requires that an object has at most one write at a time. */
  through(writer: KubernetesWriter): KubernetesWriter {
    return {
      get: (...call) => writer.get(...call),
      create: (...call) => {
        const [resource, object] = call;
        return this.#followed(resource, objectKey(nameIn(object)), () => writer.create(...call));
      },
      delete: (...call) => writer.delete(...call),
      mergePatch: (...call) => {
        const [resource, key] = call;
        return this.#followed(resource, key, () => writer.mergePatch(...call));
      },
    };
  }

  /** Calls `hear` if another client made the change to `after`. While the controller writes the object, waits for the response. */
  unlessOwn(resource: Resource, key: ObjectKey, after: KubernetesObject | undefined, hear: () => void): void {
    const path = pathOf(resource, key);
    if (after === undefined) this.#versions.delete(path);
    const handle = (): void => {
      const version = after?.metadata.resourceVersion;
      if (version === undefined || !(this.#versions.get(path) ?? []).includes(version)) hear();
    };
    const waiting = this.#waiting.get(path);
    if (waiting === undefined) handle();
    else waiting.push(handle);
  }

  async #followed<Kind extends KubernetesObject>(
    resource: Resource,
    key: ObjectKey,
    write: () => Promise<Kind>,
  ): Promise<Kind> {
    if (!FOLLOWED.has(resource.plural)) return write();
    const path = pathOf(resource, key);
    const waiting: (() => void)[] = [];
    this.#waiting.set(path, waiting);
    try {
      const written = await write();
      this.#remember(path, written);
      return written;
    } finally {
      this.#waiting.delete(path);
      for (const handle of waiting) handle();
    }
  }

  #remember(path: Path, { metadata }: KubernetesObject): void {
    const known = this.#versions.get(path) ?? [];
    this.#versions.set(path, [...known, metadata.resourceVersion].slice(-REMEMBERED));
  }
}

/** Returns the name of a new object; empty for a generated name. */
const nameIn = (object: { readonly metadata?: { readonly name?: string } }): string => object.metadata?.name ?? '';
