import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { CHART } from './chart/chart.ts';
import type { KubectlResult } from './kubectl.ts';
import { root } from './manifests.ts';

export const chartFolder = join(root, CHART);
const LIMIT = 64 * 1024 * 1024;

/** A program `helm` with folders of its own, and the credentials of a kubeconfig file if one is named. */
export interface Helm {
  /** Returns the standard output. Rejects with the standard error if the command fails. */
  readonly helm: (...args: readonly string[]) => Promise<string>;
  /** Never rejects. */
  readonly helmWith: (...args: readonly string[]) => Promise<KubectlResult>;
}

export function helmOf(program: string, folder: string, kubeconfig = join(folder, 'none')): Helm {
  const homes = ['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(folder, name)] as const);
  const env = { ...process.env, ...Object.fromEntries(homes), KUBECONFIG: kubeconfig };
  const helmWith: Helm['helmWith'] = (...args) =>
    new Promise((resolve) => {
      execFile(program, [...args], { maxBuffer: LIMIT, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
    });
  const helm: Helm['helm'] = async (...args) => {
    const { code, stdout, stderr } = await helmWith(...args);
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  return { helm, helmWith };
}

/** Returns the flag that sets values, as a JSON object. */
export const valuesFlags = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
