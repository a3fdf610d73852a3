import { join } from 'node:path';
import { manifestsOf, root } from './manifests.ts';
import type { TestSandbox } from './sandbox.ts';

/** The kinds of the project in the form of kubectl arguments. */
const KINDS = manifestsOf('manifests/crds/*.yaml')
  .map(({ metadata }) => metadata.name)
  .join(',');

/**
 * Removes the initial installation of a sandbox, for tests that install. Lists the kinds first: the API server reports a never listed kind as
 * "(re)initializing" on its deletion, sometimes for minutes.
 */
export async function uninstall({ kubectl }: TestSandbox): Promise<void> {
  await kubectl('get', KINDS, '--all-namespaces');
  // Objects in the namespace may already be deleted with it.
  await kubectl('delete', '-k', join(root, 'kustomize/overlays/local'), '--ignore-not-found');
}
