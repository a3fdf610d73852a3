import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { FOR_KUBECTL } from './short-process.ts';

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `kubectl` with the credentials of a kubeconfig file. */
export interface Kubectl {
  /** Returns the standard output. Rejects with the standard error if the command fails. */
  readonly kubectl: (...args: string[]) => Promise<string>;
  /** Runs a command with text on standard input. Never rejects. */
  readonly kubectlWith: (input: string, ...args: string[]) => Promise<KubectlResult>;
  /** Runs a command with empty standard input and environment variables, such as `KUBE_EDITOR`. Never rejects. */
  readonly kubectlIn: (environment: Readonly<Record<string, string>>, ...args: string[]) => Promise<KubectlResult>;
}

const LIMIT = 256 * 1024 * 1024;

/** Returns `kubectl` for the cluster of a kubeconfig file. `program` is the path of kubectl. */
export function kubectlOf(program: string, kubeconfig: string): Kubectl {
  // By default, kubectl caches the API of a server by its address, which another test may have used.
  const cache = { KUBECACHEDIR: join(dirname(kubeconfig), 'kubectl-cache') };
  const run = (input: string, environment: object, args: readonly string[]): Promise<KubectlResult> =>
    new Promise((resolve) => {
      const all = ['--kubeconfig', kubeconfig, ...args];
      const options = { maxBuffer: LIMIT, env: { ...process.env, ...cache, ...FOR_KUBECTL, ...environment } };
      const child = execFile(program, all, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
      // The process may exit without reading.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  const kubectlWith: Kubectl['kubectlWith'] = (input, ...args) => run(input, {}, args);
  const kubectlIn: Kubectl['kubectlIn'] = (environment, ...args) => run('', environment, args);
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectlWith('', ...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  return { kubectl, kubectlWith, kubectlIn };
}
