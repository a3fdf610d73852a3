import type { KubernetesWriter } from '../controller/kubernetes-interface.ts';
import { PortcullisError } from '../base/errors.ts';
import type { KubernetesObject, ObjectKey, Resource } from '../base/kubernetes-objects.ts';
import type { ApiCall } from './api-call.ts';
import { collectionPath, objectPath } from './api-paths.ts';
import type { Requests } from './transport.ts';

/** The leadership check before every write. */
export interface WriteGuard {
  /** Returns whether a write of up to `callTimeoutMs` ends while this process leads. */
  mayWrite(callTimeoutMs: number): boolean;
}

/**
 * Writes objects to the API server on behalf of the controllers. Rejects with `LostLeadership`, without sending the write, if the guard forbids the
 * write.
 */
export class Writer implements KubernetesWriter {
  readonly #transport: Requests;
  readonly #guard: ApiCall['guard'];

  constructor(transport: Requests, guard?: WriteGuard) {
    this.#transport = transport;
    if (guard === undefined) return;
    this.#guard = (timeoutMs) => {
      if (guard.mayWrite(timeoutMs)) return;
      throw new PortcullisError('LostLeadership', 'another replica may lead: writes are stopped');
    };
  }

  get<Kind extends KubernetesObject>(resource: Resource<Kind>, key: ObjectKey, signal: AbortSignal): Promise<Kind> {
    return this.#transport.json({ method: 'GET', path: objectPath(resource, key) }, signal);
  }

  async create<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    object: object,
    signal: AbortSignal,
  ): Promise<Kind> {
    const path = collectionPath(resource, resource.namespaced ? namespaceOf(object) : undefined);
    return this.#write({ method: 'POST', path, body: object }, signal);
  }

  mergePatch<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    patch: object,
    options: { readonly subresource?: 'status'; readonly strategic?: boolean },
    signal: AbortSignal,
  ): Promise<Kind> {
    const path = objectPath(resource, key, options.subresource);
    const contentType =
      options.strategic === true ? 'application/strategic-merge-patch+json' : 'application/merge-patch+json';
    return this.#write({ method: 'PATCH', path, body: patch, contentType }, signal);
  }

  async delete(
    resource: Resource,
    key: ObjectKey,
    precondition: { readonly uid?: string; readonly resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: precondition };
    await this.#write({ method: 'DELETE', path: objectPath(resource, key), body }, signal);
  }

  #write<Value>(call: ApiCall, signal: AbortSignal): Promise<Value> {
    return this.#transport.json(this.#guard === undefined ? call : { ...call, guard: this.#guard }, signal);
  }
}

function namespaceOf(object: { readonly metadata?: unknown }): string {
  const { metadata } = object;
  if (
    typeof metadata === 'object' &&
    metadata !== null &&
    'namespace' in metadata &&
    typeof metadata.namespace === 'string'
  ) {
    return metadata.namespace;
  }
  throw new PortcullisError('Bug', 'creation of an object of a namespaced kind without a namespace');
}
