import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { root } from './manifests.ts';

/** Parts of a user's installation, by the folder names in `kustomize/overlays` and `kustomize/components`. */
export interface Composition {
  /** The name of the overlay. Undefined for the base alone. */
  readonly overlay?: string;
  readonly components?: readonly string[];
  /** Further fields, such as `configMapGenerator`. */
  readonly own?: object;
  /** Files next to the kustomization, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Writes a user's folder for `kubectl apply -k` that builds on the kustomizations of this repository. Returns its path. */
export function composed(folder: string, { overlay, components = [], own = {}, files = {} }: Composition): string {
  mkdirSync(folder, { recursive: true });
  const towards = relative(realpathSync(folder), join(root, 'kustomize'));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [join(towards, overlay === undefined ? 'base' : `overlays/${overlay}`)],
    components: components.map((component) => join(towards, 'components', component)),
    ...own,
  };
  writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
