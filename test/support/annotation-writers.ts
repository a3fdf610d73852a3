import fastJsonPatch from 'fast-json-patch';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { mutate, type DeprecatedKeys } from '../../webhook/mutate/mutate.ts';
import { readReview, type AdmissionResponse } from '../../webhook/admission/admission-review.ts';
import { aReview, type ReviewInput } from './review.ts';
import { aService } from './service.ts';

export type Texts = Readonly<Record<string, string>>;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The owner of fields as the API server identifies it: manager name and operation. */
type Owner = `${string} ${'Apply' | 'Update'}`;

/** A write of the annotations of a Service. */
export type Write =
  /** Client-side apply. Removes keys that only the last manifest had. */
  | { readonly by: 'client-side' | 'argo-client-side'; readonly manifest: Texts }
  /** Server-side apply with forced conflicts. Removes keys of which this manager is the only owner. */
  | { readonly by: 'server-side' | 'argo-server-side'; readonly manifest: Texts }
  /** A chart tool. Its patch has a null for each key that only the last release had. */
  | { readonly by: 'chart'; readonly manifest: Texts; readonly last: Texts }
  /** A PUT of the whole object. */
  | { readonly by: 'put' | 'replace'; readonly manifest: Texts }
  /** A patch of some keys. */
  | { readonly by: 'annotate' | 'patch' | 'edit'; readonly set: Texts; readonly unset: readonly string[] };

const OWNERS: Readonly<Record<Write['by'], Owner>> = {
  'client-side': 'kubectl-client-side-apply Update',
  'argo-client-side': 'argocd-controller Update',
  'server-side': 'flux Apply',
  'argo-server-side': 'argocd-controller Apply',
  chart: 'helm Update',
  put: 'Terraform Update',
  replace: 'kubectl-replace Update',
  annotate: 'kubectl-annotate Update',
  patch: 'kubectl-patch Update',
  edit: 'kubectl-edit Update',
};

const isServerSide = (by: Write['by']): boolean => OWNERS[by].endsWith(' Apply');

const without = (texts: Texts, removed: readonly string[]): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !removed.includes(key)));
const missing = (last: Texts, now: Texts): readonly string[] => Object.keys(last).filter((key) => !(key in now));

/**
 * A stored Service with the field ownership of its annotations. Unit tests of the webhook write it as kubectl and other tools do, without an API
 * server.
 */
export class WrittenService {
  readonly #handling: DeprecatedKeys;
  #stored: Service | undefined;
  #time = 0;

  constructor(handling: DeprecatedKeys) {
    this.#handling = handling;
  }

  get annotations(): Texts {
    return without(this.#stored?.metadata.annotations ?? {}, [LAST_APPLIED]);
  }

  /** Returns the stored annotations and managed fields, without times. */
  get state(): unknown {
    const entries = (this.#stored?.metadata.managedFields ?? []).map(({ time: _time, ...entry }) => entry);
    return [this.#stored?.metadata.annotations ?? {}, entries];
  }

  /** Applies a request with one call of the webhook. Returns the response, and the response to a repeated call. */
  write(write: Write): { readonly answer: AdmissionResponse; readonly again: AdmissionResponse } {
    const [manager = ''] = OWNERS[write.by].split(' ');
    const request = { ...(this.#stored === undefined ? {} : { oldObject: this.#stored }), fieldManager: manager };
    const wanted = this.#wanted(write);
    const { answer, object } = mutated({ ...request, object: wanted }, this.#handling);
    this.#stored = object;
    return { answer, again: mutated({ ...request, object }, this.#handling).answer };
  }

  #wanted(write: Write): Service {
    const was = this.#stored?.metadata.annotations ?? {};
    const now = this.#annotations(write, was);
    const changed = Object.keys(now).filter((key) => now[key] !== was[key]);
    const own = OWNERS[write.by];
    const owners = this.#owners();
    // The managed fields may still list keys that the webhook removed earlier, so only keys that this request removes count.
    const removed = missing(was, now);
    for (const [owner, keys] of owners) {
      const lost = owner === own ? removed : [...removed, ...changed];
      owners.set(owner, new Set([...keys].filter((key) => !lost.includes(key))));
    }
    const before = isServerSide(write.by) ? [] : (owners.get(own) ?? []);
    owners.set(
      own,
      new Set([...before, ...(isServerSide(write.by) && 'manifest' in write ? Object.keys(write.manifest) : changed)]),
    );
    return withOwners(aService({ annotations: now }), owners, own, (this.#time += 1), this.#stored);
  }

  #annotations(write: Write, was: Texts): Texts {
    switch (write.by) {
      case 'client-side':
      case 'argo-client-side': {
        const last = manifestIn(was[LAST_APPLIED]);
        const kept = { [LAST_APPLIED]: JSON.stringify({ metadata: { annotations: write.manifest } }) };
        return { ...without(was, missing(last, write.manifest)), ...write.manifest, ...kept };
      }
      case 'server-side':
      case 'argo-server-side': {
        const owners = [...this.#owners()];
        const removed = [...(this.#owners().get(OWNERS[write.by]) ?? [])].filter(
          (key) => !owners.some(([owner, keys]) => owner !== OWNERS[write.by] && keys.has(key)),
        );
        return { ...without(was, removed), ...write.manifest };
      }
      case 'chart':
        return { ...without(was, missing(write.last, write.manifest)), ...write.manifest };
      case 'put':
      case 'replace':
        return write.manifest;
      case 'annotate':
      case 'patch':
      case 'edit':
        return { ...without(was, write.unset), ...write.set };
    }
  }

  #owners(): Map<Owner, ReadonlySet<string>> {
    return new Map(
      (this.#stored?.metadata.managedFields ?? []).map((entry) => {
        const { manager = '', operation = '' } = entry;
        const fields = (entry.fieldsV1 as Fields | undefined)?.['f:metadata']['f:annotations'] ?? {};
        return [`${manager} ${operation}` as Owner, new Set(Object.keys(fields).map((key) => key.slice(2)))];
      }),
    );
  }
}

interface Fields {
  readonly 'f:metadata': { readonly 'f:annotations': Readonly<Record<string, object>> };
}

const manifestIn = (text: string | undefined): Texts =>
  text === undefined ? {} : (JSON.parse(text) as { metadata: { annotations: Texts } }).metadata.annotations;

function withOwners(
  service: Service,
  owners: ReadonlyMap<Owner, ReadonlySet<string>>,
  writer: Owner,
  time: number,
  stored: Service | undefined,
): Service {
  const timeOf = (owner: Owner): string => {
    const [manager, operation] = owner.split(' ');
    const entry = stored?.metadata.managedFields?.find(
      (each) => each.manager === manager && each.operation === operation,
    );
    return owner === writer || entry?.time === undefined ? String(time).padStart(6, '0') : entry.time;
  };
  const managedFields = [...owners].map(([owner, keys]) => {
    const [manager = '', operation = ''] = owner.split(' ');
    const annotations = Object.fromEntries([...keys].sort().map((key) => [`f:${key}`, {}]));
    return { manager, operation, time: timeOf(owner), fieldsV1: { 'f:metadata': { 'f:annotations': annotations } } };
  });
  return { ...service, metadata: { ...service.metadata, managedFields } };
}

/** Returns the answer of the mutating webhook, and the resulting object. */
export function mutated(
  request: ReviewInput & { readonly object: Service },
  handling: DeprecatedKeys,
): { readonly answer: AdmissionResponse; readonly object: Service } {
  const answer = mutate(readReview(aReview(request)), handling);
  const document = structuredClone(request.object);
  const patch = structuredClone([...(answer.patch ?? [])]);
  return { answer, object: fastJsonPatch.applyPatch(document, patch, true).newDocument };
}
