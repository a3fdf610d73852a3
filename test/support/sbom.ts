import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

type Versions = Readonly<Record<string, string>>;

/** An entry of the lockfile. */
export interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: true;
  readonly optional?: true;
  readonly devOptional?: true;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
}

/** Packages of the lockfile, by installation folder. */
export type Lock = Readonly<Record<string, Locked>>;

/** A package in the form of CycloneDX. `make sbom` and `make release` list the packages of the program. */
export interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
}

export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  /** Each version of each package once, in order. */
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const MODULES = 'node_modules/';
const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf(MODULES) + MODULES.length);
const refOf = (name: string, { version }: Locked): string =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${encodeURIComponent(version)}`;

/** Returns a `sha512-…` hash of the lockfile in the form of CycloneDX. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } {
  const [alg = '', digest = ''] = integrity.split('-', 2);
  return { alg: alg.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

export const componentOf = (type: Component['type'], name: string, locked: Locked): Component => ({
  type,
  'bom-ref': refOf(name, locked),
  name,
  version: locked.version,
  purl: refOf(name, locked),
  ...(locked.integrity === undefined ? {} : { hashes: [hashOf(locked.integrity)] }),
  ...(locked.license === undefined ? {} : { licenses: [{ expression: locked.license }] }),
});

/** Returns the folder from which Node.js loads a package: in `from`, or in a parent folder. */
function resolved(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${MODULES}`)))) {
    const at = `${folder === '' ? '' : `${folder}/`}${MODULES}${name}`;
    if (lock[at] !== undefined) return at;
    if (folder === '') return undefined;
  }
}

/** Returns the folders of a package's dependencies, without uninstalled peers. */
const neededBy = (lock: Lock, folder: string): readonly string[] =>
  Object.keys({ ...lock[folder]?.dependencies, ...lock[folder]?.peerDependencies }).flatMap(
    (name) => resolved(lock, folder, name) ?? [],
  );

/** Returns the runtime packages of the image and their dependencies as CycloneDX, without the base image. */
export function sbomOf(name: string, lock: Lock): Sbom {
  const root = lock['']!;
  const found = new Set(['']);
  for (const folder of found) for (const next of neededBy(lock, folder)) found.add(next);
  const components = new Map<string, Component>();
  const needs = new Map<string, Set<string>>();
  for (const folder of found) {
    const own =
      folder === '' ? componentOf('application', name, root) : componentOf('library', nameOf(folder), lock[folder]!);
    components.set(own['bom-ref'], own);
    const refs = neededBy(lock, folder).map((next) => refOf(nameOf(next), lock[next]!));
    needs.set(own['bom-ref'], new Set([...(needs.get(own['bom-ref']) ?? []), ...refs]));
  }
  const component = componentOf('application', name, root);
  const libraries = [...components.values()].filter(({ type }) => type === 'library');
  const inOrder = (one: string, other: string): number => (one < other ? -1 : 1);
  // Without a time and a serial number, equal lockfiles give equal texts.
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component },
    components: libraries.toSorted((one, other) => inOrder(one.purl, other.purl)),
    dependencies: [...needs]
      .toSorted(([one], [other]) => inOrder(one, other))
      .map(([ref, refs]) => ({ ref, dependsOn: [...refs].toSorted(inOrder) })),
  };
}

/** Returns the lockfile of this repository. */
export const lockfile = () =>
  JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly name: string;
    readonly packages: Lock;
  };

if (import.meta.main) {
  const [path = 'dist/sbom.json'] = process.argv.slice(2);
  const { name, packages } = lockfile();
  const sbom = sbomOf(name, packages);
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), `${JSON.stringify(sbom, null, 2)}\n`);
  process.stdout.write(`${path}: ${sbom.components.length} packages\n`);
}
