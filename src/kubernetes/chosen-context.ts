import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PortcullisError } from '../base/errors.ts';
import { readKubeconfig } from './kubeconfig.ts';

/** What a person says of the cluster that is meant. */
export interface ContextFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface ChosenContext {
  /** The kubeconfig file that has it. */
  readonly path: string;
  readonly context: string;
  /** Of objects that name none; `default` where the context names none either. */
  readonly namespace: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Of the files that are only looked for, those that are there. Throws where `KUBECONFIG` means some, and there is none of them. */
function filesOf(named: string | undefined, environment: Environment): readonly string[] {
  if (named !== undefined) return [named];
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const looked = listed.length > 0 ? listed : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
  const there = looked.filter((path) => existsSync(path));
  if (listed.length === 0 || there.length > 0) return there;
  throw new PortcullisError(
    'InvalidConfiguration',
    `KUBECONFIG names no kubeconfig file that is there: ${listed.join(', ')}; correct it, or unset it to have the one in the home folder`,
  );
}

/**
 * The context that kubectl would use: of the file that is named, or of those that `KUBECONFIG` lists, or of the one in the home folder.
 * Of several files each has to be whole in itself. Absent when there is no file and none is asked for.
 * Rejects `InvalidConfiguration` with a sentence.
 */
export async function chosenContext(
  { kubeconfig, context }: ContextFlags,
  environment: Environment,
): Promise<ChosenContext | undefined> {
  const files = filesOf(kubeconfig, environment);
  const configs = await Promise.all(files.map(async (path) => ({ path, config: await readKubeconfig(path) })));
  const name = context ?? configs.map(({ config }) => config['current-context']).find((current) => current !== '');
  if (files.length === 0 && name === undefined) return undefined;
  const owner = configs.find(({ config }) => config.contexts.some((each) => each.name === name));
  if (owner !== undefined && name !== undefined) {
    const { namespace } = owner.config.contexts.find((each) => each.name === name)?.context ?? {};
    return { path: owner.path, context: name, namespace: namespace ?? 'default' };
  }
  const names = configs.flatMap(({ config }) => config.contexts.map((each) => each.name)).join(', ') || 'none';
  const found = name === undefined ? 'none is current' : `${JSON.stringify(name)} is none`;
  throw new PortcullisError(
    'InvalidConfiguration',
    `no context to reach a cluster by: ${found} of those in ${files.join(', ') || 'any kubeconfig file'}; there are: ${names}; choose one with --context`,
  );
}
