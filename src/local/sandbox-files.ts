import { join } from 'node:path';
import { repositoryRoot } from './repository.ts';
import type { SandboxPart } from './sandbox-record.ts';

// The next five functions return a path in the folder of a sandbox.

export const logsFolder = (folder: string): string => join(folder, 'logs');
export const binFolder = (folder: string): string => join(folder, 'bin');
export const environmentFile = (folder: string): string => join(folder, 'environment');
export const kubeletCredentialFile = (folder: string): string => join(folder, 'pki', 'kubelet.json');
export const partKubeconfig = (folder: string, part: SandboxPart): string => join(folder, `${part}.kubeconfig`);

/** Returns the path of a file that `make build` compiled. All Node.js processes of a sandbox run compiled files, as in the image. */
export const compiled = (...path: readonly string[]): string => join(repositoryRoot(), 'dist', 'src', ...path);
