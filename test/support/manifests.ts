import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { WITHOUT_COLLECTION } from './short-process.ts';

export const root = join(import.meta.dirname, '../..');

/** An object of a manifest, as its author wrote it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
    readonly labels?: Record<string, string>;
  };
  readonly [field: string]: unknown;
}

/** Returns every document of a YAML text. Throws on invalid YAML, including duplicate keys. */
export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join('\n'));
    return document.toJS() as Manifest;
  });

/** Returns the objects of every matching file, with their file, without lists for kustomize. */
export const manifestsOf = (pattern: string): readonly (Manifest & { readonly file: string })[] =>
  globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .sort()
    .flatMap((file) =>
      parseManifests(readFileSync(join(root, file), 'utf8')).map((manifest) => ({ ...manifest, file })),
    );

/** Returns the rendered text of a folder of `kustomize/`, or of an absolute path. Rejects with the output of kustomize. */
export async function render(kustomize: string, folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(kustomize, ['build', resolve(root, 'kustomize', folder)], {
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, ...WITHOUT_COLLECTION },
  });
  return stdout;
}

/** Returns the actions of admission policies on violations, by the names of their bindings. */
export const actionsOf = (objects: readonly Manifest[]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    objects
      .filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding')
      .map(({ metadata, spec }) => [
        metadata.name,
        (spec as { readonly validationActions: readonly string[] }).validationActions,
      ]),
  );
