import { join } from 'node:path';
import type { Kubectl, KubectlResult } from './kubectl.ts';

const PREFIX = 'service.beta.kubernetes.io/';

/** The values of the two keys of one annotation. Null removes a key. */
export interface Keys {
  readonly old?: string | null;
  readonly new?: string | null;
}

/** The keys of an annotation by its short name. */
export const keysOf = (suffix: string): { readonly old: string; readonly new: string } => ({
  old: `${PREFIX}alicloud-loadbalancer-${suffix}`,
  new: `${PREFIX}alibaba-cloud-loadbalancer-${suffix}`,
});

/** Skips the check of a manifest by kubectl, which takes two fifths of its time. */
const UNCHECKED = '--validate=ignore';

/** The `kubectl` arguments with which each writer sends a whole manifest. */
const MANIFESTS = {
  apply: ['apply', UNCHECKED],
  'server-side': ['apply', UNCHECKED, '--server-side'],
  create: ['create', UNCHECKED],
  replace: ['replace', UNCHECKED],
  diff: ['diff'],
  'Argo CD': ['apply', UNCHECKED, '--field-manager=argocd-controller'],
  'server-side Argo CD': [
    'apply',
    UNCHECKED,
    '--server-side',
    '--force-conflicts',
    '--field-manager=argocd-controller',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The types of patch that a chart tool sends. */
const RELEASES = { chart: 'merge', 'strategic chart': 'strategic' } as const;
/** Commands that send a patch of some keys. */
const PATCHES = {
  patch: ['--type=merge'],
  'strategic patch': ['--type=strategic'],
  'JSON patch': ['--type=json'],
  'operator with a JSON patch': ['--type=json', '--field-manager=my-operator'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The writers of whole manifests and objects. */
export type ManifestWriter = keyof typeof MANIFESTS | keyof typeof RELEASES | 'PUT';
/** The writers of changes. */
export type Editor = keyof typeof PATCHES | 'annotate' | 'edit';
export type Writer = ManifestWriter | Editor;

const isIn = <Table extends object>(table: Table, by: Writer): by is Writer & keyof Table => Object.hasOwn(table, by);

type Annotations = Readonly<Record<string, string | null>>;

const EDITOR = `${process.execPath} ${join(import.meta.dirname, 'kubectl-editor.ts')}`;

/** Returns the patch of a chart tool: missing parts of the new manifest, and a null for keys that only the last manifest had. */
function threeWay(last: Annotations, wanted: Annotations, live: Annotations): Annotations {
  const removed = Object.keys(last).filter((key) => !(key in wanted));
  const changed = Object.entries(wanted).filter(([key, value]) => live[key] !== value);
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed]);
}

/** Returns the JSON patch from `live` to the wanted annotations. */
const jsonPatch = (wanted: Annotations, live: Annotations): string =>
  JSON.stringify(
    Object.entries(wanted).flatMap(([key, value]) => {
      const path = `/metadata/annotations/${key.replaceAll('/', '~1')}`;
      if (value !== null) return [{ op: 'add', path, value }];
      return live[key] === undefined ? [] : [{ op: 'remove', path }];
    }),
  );

const mergePatch = (annotations: Annotations): string => JSON.stringify({ metadata: { annotations } });

interface LiveObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** A Service on a real API server that kubectl, Helm, Argo CD and others write in sequence, each as it really does. */
export class ServiceUnderWriters {
  readonly #name: string;
  readonly #suffix: string;
  readonly #others: Annotations;
  readonly #kubectl: Kubectl;
  #released: Annotations | undefined;

  /** Creates a Service without either key. `suffix` names the annotation with two keys, and `others` are further annotations in each manifest. */
  constructor(name: string, kubectl: Kubectl, suffix: string, others: Annotations = {}) {
    this.#name = name;
    this.#kubectl = kubectl;
    this.#suffix = suffix;
    this.#others = others;
  }

  /** Sends `keys` with the command of a writer. `live` are the stored keys. Returns undefined if there is nothing to send. */
  async write(by: Writer, keys: Keys, live: Keys): Promise<KubectlResult | undefined> {
    const wanted = this.#annotationsOf(keys);
    if (isIn(MANIFESTS, by)) return this.#run(this.#manifest(wanted), ...MANIFESTS[by], '-f', '-');
    if (isIn(RELEASES, by)) return this.#release(wanted, this.#annotationsOf(live), RELEASES[by]);
    if (isIn(PATCHES, by)) {
      const patch = by.includes('JSON') ? jsonPatch(wanted, this.#annotationsOf(live)) : mergePatch(wanted);
      return this.#run('', 'patch', 'service', this.#name, ...PATCHES[by], '-p', patch);
    }
    switch (by) {
      case 'PUT':
        return this.#put(wanted);
      case 'annotate': {
        const assignments = Object.entries(wanted).map(([key, value]) =>
          value === null ? `${key}-` : `${key}=${value}`,
        );
        return this.#run('', 'annotate', '--overwrite', 'service', this.#name, ...assignments);
      }
      case 'edit': {
        const environment = { KUBE_EDITOR: EDITOR, ANNOTATIONS: JSON.stringify(wanted) };
        return this.#kubectl.kubectlIn(environment, '-n', 'shop', 'edit', 'service', this.#name);
      }
    }
  }

  #run(input: string, ...args: string[]): Promise<KubectlResult> {
    return this.#kubectl.kubectlWith(input, '-n', 'shop', ...args);
  }

  #annotationsOf(assignments: Keys): Annotations {
    const keys = keysOf(this.#suffix);
    return {
      ...(assignments.old === undefined ? {} : { [keys.old]: assignments.old }),
      ...(assignments.new === undefined ? {} : { [keys.new]: assignments.new }),
    };
  }

  #manifest(annotations: Annotations): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: this.#name, namespace: 'shop', annotations: { ...this.#others, ...annotations } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 80 }] },
    });
  }

  #release(wanted: Annotations, live: Annotations, type: string): Promise<KubectlResult> | undefined {
    const last = this.#released;
    this.#released = wanted;
    const as = '--field-manager=helm';
    if (last === undefined) return this.#run(this.#manifest(wanted), 'create', UNCHECKED, as, '-f', '-');
    const patch = threeWay(last, wanted, live);
    if (Object.keys(patch).length === 0) return undefined;
    return this.#run('', 'patch', 'service', this.#name, as, `--type=${type}`, '-p', mergePatch(patch));
  }

  /** Reads the object, sets both keys and replaces the object, as Terraform and operators do. */
  async #put(wanted: Annotations): Promise<KubectlResult> {
    const as = '--field-manager=Terraform';
    const found = await this.#run('', 'get', 'service', this.#name, '-o', 'json');
    if (found.code !== 0) return this.#run(this.#manifest(wanted), 'create', UNCHECKED, as, '-f', '-');
    const object = JSON.parse(found.stdout) as LiveObject;
    const { old, new: current } = keysOf(this.#suffix);
    const others = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => key !== old && key !== current);
    const annotations = { ...Object.fromEntries(others), ...wanted };
    const put = { ...object, metadata: { ...object.metadata, annotations } };
    return this.#run(JSON.stringify(put), 'replace', UNCHECKED, as, '-f', '-');
  }
}
