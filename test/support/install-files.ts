import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { printProgress } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { render, root } from './manifests.ts';

/** The overlays that are also shipped as one file, for users without kustomize. `make install-files` and `make release` write them. */
export const INSTALLATIONS = ['default', 'self-managed-cluster'] as const;

/** The command shown for a stale file. */
export const REFRESH = 'make install-files';

/** Returns the path from the root of the repository. */
export const installFile = (overlay: string): string => `manifests/install/${overlay}.yaml`;

/** Returns the expected content of an overlay's file. */
export async function installText(kustomize: string, overlay: string): Promise<string> {
  const objects = await render(kustomize, join('overlays', overlay));
  return `# All objects of kustomize/overlays/${overlay}, written by "${REFRESH}". Set your image, and create the ConfigMap\n# portcullis-cloud-config and the Secret portcullis-access-key: docs/tasks/install.md.\n${objects}`;
}

export const onDisk = (overlay: string): string => readFileSync(join(root, installFile(overlay)), 'utf8');

if (import.meta.main) {
  const { kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: printProgress(process.stdout) });
  for (const overlay of INSTALLATIONS) {
    const path = join(root, installFile(overlay));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await installText(kustomize, overlay));
    process.stdout.write(`written  ${installFile(overlay)}\n`);
  }
}
