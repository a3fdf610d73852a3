import { execFile } from 'node:child_process';

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
}

const LIMIT = 256 * 1024 * 1024;

export function kubectlOf(program: string, kubeconfig: string): Kubectl {
  const kubectlWith = (input: string, ...args: string[]): Promise<KubectlResult> =>
    new Promise((resolve) => {
      const all = ['--kubeconfig', kubeconfig, ...args];
      const child = execFile(program, all, { maxBuffer: LIMIT }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
      // It may end without reading.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectlWith('', ...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  return { kubectl, kubectlWith };
}
