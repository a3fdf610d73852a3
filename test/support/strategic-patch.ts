import type { KubernetesObject } from '../../src/base/kubernetes-objects.ts';

/** An item of a list that the API server merges by type. */
interface Typed {
  readonly type?: string;
  readonly $patch?: 'delete' | 'replace';
}

const REMOVED = '$deleteFromPrimitiveList/finalizers';

/** The lists of a strategic merge patch. */
interface StrategicPatch {
  readonly metadata?: { readonly finalizers?: readonly string[]; readonly [REMOVED]?: readonly string[] };
  readonly status?: { readonly conditions?: readonly Typed[]; readonly addresses?: readonly Typed[] };
}

type Metadata = NonNullable<StrategicPatch['metadata']>;
type Status = NonNullable<StrategicPatch['status']>;

function mergedMetadata(
  { finalizers: stored = [] }: Metadata,
  { finalizers = [], [REMOVED]: removed = [], ...rest }: Metadata,
): object {
  const all = [...new Set([...stored, ...finalizers])].filter((name) => !removed.includes(name));
  const isNamed = finalizers.length + removed.length > 0;
  return { ...rest, ...(isNamed ? { finalizers: all } : {}) };
}

function mergedStatus({ conditions: stored = [] }: Status, { conditions, addresses, ...rest }: Status): object {
  const list = conditions ?? [];
  const others = stored.filter(({ type }) => !list.some((condition) => condition.type === type));
  return {
    ...rest,
    ...(conditions === undefined
      ? {}
      : { conditions: [...others, ...list.filter(({ $patch }) => $patch !== 'delete')] }),
    ...(addresses === undefined ? {} : { addresses: addresses.filter(({ $patch }) => $patch === undefined) }),
  };
}

/** Converts a strategic merge patch of an object into a merge patch. Merges finalizers by name and conditions by type, and replaces addresses. */
export function asMergePatch(object: KubernetesObject, patch: StrategicPatch): object {
  const { metadata, status } = patch;
  const before = object as StrategicPatch;
  return {
    ...patch,
    ...(metadata === undefined ? {} : { metadata: mergedMetadata(before.metadata ?? {}, metadata) }),
    ...(status === undefined ? {} : { status: mergedStatus(before.status ?? {}, status) }),
  };
}
