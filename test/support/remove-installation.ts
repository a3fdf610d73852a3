import { join } from 'node:path';
import { manifestsOf, root } from './manifests.ts';
import type { TestSandbox } from './sandbox.ts';

/** The kinds of the project in the form of kubectl arguments. */
const KINDS = manifestsOf('manifests/crds/*.yaml')
  .map(({ metadata }) => metadata.name)
  .join(',');

/** Removes the initial installation of a sandbox. */
export async function uninstall({ kubectl }: TestSandbox): Promise<void> {
  // Before the first list of a kind, its deletion can fail for minutes, with the message "(re)initializing".
  await kubectl('get', KINDS, '--all-namespaces');
  // Objects in the namespace may already be deleted with it.
  await kubectl('delete', '-k', join(root, 'kustomize/overlays/local'), '--ignore-not-found');
}
