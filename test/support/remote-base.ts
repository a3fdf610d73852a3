import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './manifests.ts';

/** The address that the documentation uses for the repository. */
export const DOCUMENTED_REPOSITORY = 'https://git.example.com/platform/portcullis.git';

/** Creates a Git repository with the kustomizations of this repository, under a tag. A test installs from it, as users of GitOps do. */
export function remoteBase(folder: string, tag: string): string {
  for (const part of ['kustomize', 'manifests']) cpSync(join(root, part), join(folder, part), { recursive: true });
  const git = (...args: readonly string[]): void => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    execFileSync('git', [...identity, '-c', 'init.defaultBranch=main', ...args], { cwd: folder, stdio: 'pipe' });
  };
  git('init');
  git('add', '--all', '--force');
  git('commit', '--no-verify', '--message=release');
  git('tag', tag);
  return `file://${folder}`;
}
