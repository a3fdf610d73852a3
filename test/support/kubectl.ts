import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `kubectl` as the owner of a kubeconfig file. */
export interface Kubectl {
  /** Standard output. Rejects with what was printed as an error when it fails. */
  readonly kubectl: (...args: string[]) => Promise<string>;
  /** The same with text on standard input, and never rejecting. */
  readonly kubectlWith: (input: string, ...args: string[]) => Promise<KubectlResult>;
  /** The same with nothing on standard input and variables of the environment, such as `KUBE_EDITOR`. */
  readonly kubectlIn: (environment: Readonly<Record<string, string>>, ...args: string[]) => Promise<KubectlResult>;
}

const LIMIT = 256 * 1024 * 1024;

export function kubectlOf(program: string, kubeconfig: string): Kubectl {
  // By default kubectl remembers what a server serves by its address, which another test's server has had.
  const cache = { KUBECACHEDIR: join(dirname(kubeconfig), 'kubectl-cache') };
  const run = (input: string, environment: object, args: readonly string[]): Promise<KubectlResult> =>
    new Promise((resolve) => {
      const all = ['--kubeconfig', kubeconfig, ...args];
      const options = { maxBuffer: LIMIT, env: { ...process.env, ...cache, ...environment } };
      const child = execFile(program, all, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
      // It may end without reading.
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
