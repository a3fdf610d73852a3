import { Agent, request } from 'undici';
import { answered } from './eventually.ts';
import type { TestControlPlane } from './control-plane.ts';
import type { Manifest } from './manifests.ts';

type Labels = Readonly<Record<string, string>>;

/** A tool that applies the objects of a repository. */
interface GitOpsTool {
  readonly fieldManager: string;
  readonly isServerSide: boolean;
  /** The labels of its objects. */
  readonly labels: Labels;
  readonly annotationsOf: (object: Manifest) => Labels;
  /** Returns whether the tool keeps an object that is no longer in the repository. */
  readonly keeps: (annotations: Labels) => boolean;
}

/** Argo CD finds its objects by an annotation, or by a label in older installations. */
const argoCd = (isServerSide: boolean): GitOpsTool => ({
  fieldManager: 'argocd-controller',
  isServerSide,
  labels: { 'app.kubernetes.io/instance': 'portcullis' },
  annotationsOf: ({ apiVersion, kind, metadata: { namespace = '', name } }) => {
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
    return { 'argocd.argoproj.io/tracking-id': `portcullis:${group}/${kind}:${namespace}/${name}` };
  },
  keeps: (annotations) => (annotations['argocd.argoproj.io/sync-options'] ?? '').split(',').includes('Prune=false'),
});

const FLUX = 'kustomize.toolkit.fluxcd.io';

/** The tools whose installation and update of the manifests are tested. */
export const GITOPS_TOOLS: Readonly<Record<string, GitOpsTool>> = {
  'Argo CD': argoCd(false),
  'Argo CD with server-side apply': argoCd(true),
  Flux: {
    fieldManager: 'kustomize-controller',
    isServerSide: true,
    labels: { [`${FLUX}/name`]: 'portcullis', [`${FLUX}/namespace`]: 'flux-system' },
    annotationsOf: () => ({}),
    keeps: (annotations) => annotations[`${FLUX}/prune`] === 'disabled',
  },
};

/** Kinds that a tool applies first. */
const FIRST = ['Namespace', 'CustomResourceDefinition'];
const APPLY = 'application/apply-patch+yaml';

const pluralOf = (kind: string): string => kind.toLowerCase().replace(/y$/, 'ie') + 's';
const collectionOf = ({ apiVersion, kind }: Manifest): string =>
  `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/${pluralOf(kind)}`;
const pathOf = (object: Manifest): string => {
  const { name, namespace } = object.metadata;
  const plural = pluralOf(object.kind);
  const collection = collectionOf(object);
  return `${namespace === undefined ? collection : collection.replace(plural, `namespaces/${namespace}/${plural}`)}/${name}`;
};

/** Removes the ownership of fields, which tools do not compare. */
const comparable = (object: Manifest): Manifest => {
  const metadata = Object.entries(object.metadata).filter(([key]) => key !== 'managedFields');
  return { ...object, metadata: Object.fromEntries(metadata) as unknown as Manifest['metadata'] };
};

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** Sends the requests of a tool to an API server, as its administrator. */
export class GitOpsRequests implements AsyncDisposable {
  readonly #plane: TestControlPlane;
  readonly #tool: GitOpsTool;
  readonly #agent: Agent;

  constructor(plane: TestControlPlane, tool: GitOpsTool) {
    const { certificateAuthority: ca, administrator } = plane;
    this.#plane = plane;
    this.#tool = tool;
    this.#agent = new Agent({
      connections: 8,
      connect: { ca, cert: administrator.certificate, key: administrator.key },
    });
  }

  /** Returns the objects with the labels and annotations of the tool. */
  marked(objects: readonly Manifest[]): readonly Manifest[] {
    const { labels, annotationsOf } = this.#tool;
    return objects.map((object) => {
      const { metadata } = object;
      const annotations = { ...metadata.annotations, ...annotationsOf(object) };
      const annotated = Object.keys(annotations).length === 0 ? {} : { annotations };
      return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, ...annotated } };
    });
  }

  /** Applies objects: first definitions and namespaces, then the others. */
  async apply(objects: readonly Manifest[]): Promise<void> {
    const first = objects.filter(({ kind }) => FIRST.includes(kind));
    await this.#applyAll(first);
    for (const definition of first.filter(({ kind }) => kind === 'CustomResourceDefinition'))
      await answered(
        async () => isEstablished(await this.#send('GET', pathOf(definition))) || undefined,
        'established',
      );
    await this.#applyAll(objects.filter(({ kind }) => !FIRST.includes(kind)));
  }

  /** Returns the objects as they are stored. */
  live(objects: readonly Manifest[]): Promise<readonly Manifest[]> {
    return Promise.all(objects.map(async (object) => comparable(await this.#send('GET', pathOf(object)))));
  }

  /** Returns the objects as a server-side apply would store them. */
  predicted(objects: readonly Manifest[]): Promise<readonly Manifest[]> {
    return Promise.all(objects.map(async (object) => comparable(await this.#serverSide(object, '&dryRun=All'))));
  }

  /** Returns the stored objects of the tool that are not in `wanted`, and that the tool does not keep. */
  async prunable(installed: readonly Manifest[], wanted: readonly Manifest[]): Promise<readonly Manifest[]> {
    const names = new Set(wanted.map(nameOf));
    const kinds = new Map(installed.map((object) => [collectionOf(object), object]));
    const selector = Object.entries(this.#tool.labels).map(([key, value]) => `${key}=${value}`);
    const lists = [...kinds].map(async ([path, { apiVersion, kind }]) => {
      const { items } = (await this.#send(
        'GET',
        `${path}?labelSelector=${encodeURIComponent(selector.join(','))}`,
      )) as unknown as {
        readonly items: readonly Manifest[];
      };
      return items.map((item) => ({ ...item, apiVersion, kind }));
    });
    const found = (await Promise.all(lists)).flat();
    return found.filter((object) => !names.has(nameOf(object)) && !this.#tool.keeps(object.metadata.annotations ?? {}));
  }

  async delete(objects: readonly Manifest[]): Promise<void> {
    for (const object of objects) await this.#send('DELETE', pathOf(object));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.close();
  }

  async #applyAll(objects: readonly Manifest[]): Promise<void> {
    if (this.#tool.isServerSide) await Promise.all(objects.map((object) => this.#serverSide(object)));
    else await this.#clientSide(objects);
  }

  #serverSide(object: Manifest, query = ''): Promise<Manifest> {
    return this.#send('PATCH', `${pathOf(object)}?fieldManager=${this.#tool.fieldManager}&force=true${query}`, object);
  }

  /** Applies as `kubectl` does, whose code Argo CD uses: rights are reconciled before they are applied. */
  async #clientSide(objects: readonly Manifest[]): Promise<void> {
    const rights = objects.filter(({ apiVersion }) => apiVersion.startsWith('rbac.authorization.k8s.io/'));
    if (rights.length > 0) await this.#kubectl(rights, 'auth', 'reconcile');
    await this.#kubectl(objects, 'apply', '--validate=false', `--field-manager=${this.#tool.fieldManager}`);
  }

  async #kubectl(items: readonly Manifest[], ...args: readonly string[]): Promise<void> {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const { code, stderr } = await this.#plane.kubectlWith(list, ...args, '-f', '-');
    if (code !== 0) throw new Error(stderr);
  }

  async #send(method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: Manifest): Promise<Manifest> {
    const { statusCode, body: answer } = await request(this.#plane.server + path, {
      method,
      dispatcher: this.#agent,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': APPLY }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text) as Manifest;
  }
}

const isEstablished = ({ status }: Manifest): boolean => {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Labels[] };
  return conditions.some(({ type, status: state }) => type === 'Established' && state === 'True');
};
