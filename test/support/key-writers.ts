import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Kubectl, KubectlResult } from './kubectl.ts';

export const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-scheduler';
export const NEW = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-scheduler';

/** The two keys of one annotation; null takes one away. */
export interface Keys {
  readonly old?: string | null;
  readonly new?: string | null;
}

/** Those who say what shall be there, all of it. */
export type ManifestWriter = 'apply' | 'server-side' | 'create' | 'replace' | 'diff' | 'chart';
/** Those who say what shall change. */
export type Editor = 'annotate' | 'patch' | 'edit';
export type Writer = ManifestWriter | Editor;

type Annotations = Readonly<Record<string, string | null>>;

const EDITOR = `${process.execPath} ${join(import.meta.dirname, 'edit-annotations.ts')}`;

const annotationsOf = (keys: Keys): Annotations => ({
  ...(keys.old === undefined ? {} : { [OLD]: keys.old }),
  ...(keys.new === undefined ? {} : { [NEW]: keys.new }),
});

const manifest = (name: string, keys: Keys): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop', annotations: annotationsOf(keys) },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 80 }] },
  });

/** What a chart tool sends: what the live object lacks of the new manifest, and a null for what only the last one had. */
function threeWay(last: Annotations, wanted: Annotations, live: Annotations): Annotations {
  const gone = Object.keys(last).filter((key) => !(key in wanted));
  const changed = Object.entries(wanted).filter(([key, value]) => live[key] !== value);
  return Object.fromEntries([...gone.map((key) => [key, null] as const), ...changed]);
}

/** A Service that is written by one writer after the other. */
export class ServiceUnderWriters {
  readonly #name: string;
  readonly #kubectl: Kubectl;
  #released: Annotations | undefined;

  constructor(name: string, kubectl: Kubectl) {
    this.#name = name;
    this.#kubectl = kubectl;
  }

  /** Carries a command out. Absent: there was nothing to send. `live` is what stands there now. */
  async write(by: Writer, keys: Keys, live: Keys): Promise<KubectlResult | undefined> {
    const run = (input: string, ...args: string[]) => this.#kubectl.kubectlWith(input, '-n', 'shop', ...args);
    const text = manifest(this.#name, keys);
    switch (by) {
      case 'apply':
      case 'create':
      case 'replace':
      case 'diff':
        return run(text, by, '-f', '-');
      case 'server-side':
        return run(text, 'apply', '--server-side', '-f', '-');
      case 'chart':
        return this.#release(annotationsOf(keys), annotationsOf(live), text);
      case 'annotate': {
        const said = Object.entries(annotationsOf(keys)).map(([key, value]) =>
          value === null ? `${key}-` : `${key}=${value}`,
        );
        return run('', 'annotate', '--overwrite', 'service', this.#name, ...said);
      }
      case 'patch':
        return run('', 'patch', 'service', this.#name, '--type=merge', '-p', patchOf(annotationsOf(keys)));
      case 'edit': {
        const environment = { KUBE_EDITOR: EDITOR, ANNOTATIONS: JSON.stringify(annotationsOf(keys)) };
        return this.#kubectl.kubectlIn(environment, '-n', 'shop', 'edit', 'service', this.#name);
      }
    }
  }

  #release(wanted: Annotations, live: Annotations, text: string): Promise<KubectlResult> | undefined {
    const last = this.#released;
    this.#released = wanted;
    const as = ['-n', 'shop', '--field-manager=helm'];
    if (last === undefined) return this.#kubectl.kubectlWith(text, 'create', ...as, '-f', '-');
    const patch = threeWay(last, wanted, live);
    if (Object.keys(patch).length === 0) return undefined;
    return this.#kubectl.kubectlWith('', 'patch', 'service', this.#name, ...as, '--type=merge', '-p', patchOf(patch));
  }
}

const patchOf = (annotations: Annotations): string => JSON.stringify({ metadata: { annotations } });
