import { PortcullisError } from '../base/errors.ts';
import type { Node, Service } from '../base/kubernetes-objects.ts';
import { candidateOf, isEvaluatedKind } from './candidate.ts';
import { readManifests, withoutFile, type Manifest } from './manifest.ts';
import type { Source } from './source.ts';

/** The stored Services and Nodes by kind and name, with deprecated annotation keys replaced. `lint --against` compares manifests with them. */
export type Stored = ReadonlyMap<string, Service | Node>;

/** Reads the stored objects from a file. `namespace` is the default namespace. Throws `InvalidConfiguration` for unreadable content. */
export function storedIn(source: Source, namespace: string): Stored {
  const { manifests, unreadable } = readManifests(source.text, isEvaluatedKind);
  const [broken] = unreadable;
  if (broken !== undefined) {
    const { line, column } = broken.range;
    throw new PortcullisError('InvalidConfiguration', `${source.name}:${line}:${column}: ${broken.what}`);
  }
  return byName(manifests, namespace);
}

/** Returns the Services and Nodes among the objects of a cluster, by kind and name. */
export const storedInCluster = (objects: readonly { readonly kind: string }[]): Stored =>
  byName(objects.filter(({ kind }) => isEvaluatedKind('v1', kind)).map(withoutFile), '');

export const isService = (object: Service | Node): object is Service => object.kind === 'Service';

const byName = (manifests: readonly Manifest[], namespace: string): Stored =>
  new Map(
    manifests.flatMap((manifest) => {
      const { name, object } = candidateOf(manifest, namespace);
      return object === undefined ? [] : [[name, object] as const];
    }),
  );
