import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { CHART } from './chart/chart.ts';
import type { KubectlResult } from './kubectl.ts';
import { root } from './manifests.ts';
import { WITHOUT_COLLECTION } from './short-process.ts';

export const chartFolder = join(root, CHART);
const LIMIT = 64 * 1024 * 1024;

/** Runs a command of Helm. Never rejects. */
export type Helm = (...args: readonly string[]) => Promise<KubectlResult>;

/** Returns the variables that keep files of Helm in a folder. */
export const helmFolders = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(folder, `helm-${name}`)]));

/** Returns Helm for the cluster of a kubeconfig file. The default file does not exist, so that Helm has no cluster. */
export function helmOf(program: string, folder: string, kubeconfig = join(folder, 'none')): Helm {
  const env = { ...process.env, ...WITHOUT_COLLECTION, ...helmFolders(folder), KUBECONFIG: kubeconfig };
  return (...args) =>
    new Promise((resolve) => {
      execFile(program, [...args], { maxBuffer: LIMIT, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
    });
}

/** Returns the flags that set values by their paths. */
export const valuesFlags = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
