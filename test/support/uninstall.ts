import { join } from 'node:path';
import { manifestsOf, root } from './manifests.ts';
import type { TestSandbox } from './sandbox.ts';

/** Our kinds, as kubectl takes them. */
const KINDS = manifestsOf('manifests/crds/*.yaml')
  .map(({ metadata }) => metadata.name)
  .join(',');

/**
 * Takes away what a sandbox has been installed with, for tests that install. The kinds are listed before: the API server finds one that
 * nobody has ever listed "(re)initializing" when it goes, and may then forget for minutes to look again.
 */
export async function uninstall({ kubectl }: TestSandbox): Promise<void> {
  await kubectl('get', KINDS, '--all-namespaces');
  // What lies in the namespace may go with it before its turn comes.
  await kubectl('delete', '-k', join(root, 'kustomize/overlays/local'), '--ignore-not-found');
}
