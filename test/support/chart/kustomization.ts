import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { root } from '../manifests.ts';
import type { Condition } from './condition.ts';
import { choose, nodeOf, slotOf, type JsonObject, type Node, type Slot } from './template-node.ts';
import { applyOperations, mergeMap, slotAt, type Operation } from './patch.ts';

/** An object of the Helm chart, which is built from the kustomizations of this repository. */
export interface ChartObject {
  /** Path of its manifest in the folder `manifests`. */
  readonly source: string;
  readonly manifest: Manifest;
  readonly node: Node;
  /** The node with the conditions under which the object exists. */
  readonly slot: Slot;
}

interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** The selection of objects by a patch or a replacement. */
export interface Target {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly labelSelector?: string;
}
interface Patch {
  readonly target?: Target;
  readonly path?: string;
  readonly patch?: string;
}
interface Replacement {
  readonly source: Target & { readonly fieldPath: string };
  readonly targets: readonly { readonly select: Target; readonly fieldPaths: readonly string[] }[];
}
interface GeneratedMap {
  readonly name: string;
  readonly namespace: string;
  readonly files: readonly string[];
  readonly options: { readonly labels: Readonly<Record<string, string>> };
}

/** The fields of a kustomization that change objects. */
interface Kustomization {
  readonly resources?: readonly string[];
  readonly patches?: readonly Patch[];
  readonly replacements?: readonly Replacement[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly configMapGenerator?: readonly GeneratedMap[];
}

const MANIFESTS = join(root, 'manifests');

/** Parses YAML as kubectl does. */
const yaml = (text: string): unknown => parse(text, { version: '1.1' });
const kustomizationIn = (folder: string): Kustomization =>
  yaml(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
/** Returns the folders in `manifests` that a kustomization names, without the overlays that it also names. */
const manifestFolders = (folder: string): readonly string[] =>
  (kustomizationIn(folder).resources ?? [])
    .map((path) => join(folder, path))
    .filter((path) => path.startsWith(MANIFESTS));

/** Returns the paths of the manifests of a kustomization, relative to `manifests`. */
export const sourcesOf = (folder: string): readonly string[] =>
  manifestFolders(folder).flatMap((path) => {
    const { resources = [], configMapGenerator = [] } = kustomizationIn(path);
    const files = [...resources, ...configMapGenerator.flatMap((map) => map.files)];
    return files.map((file) => relative(MANIFESTS, join(path, file)));
  });

/** Adds the objects of a kustomization and applies its patches, under a condition. */
export function addKustomization(objects: ChartObject[], folder: string, when?: Condition): void {
  const { patches = [], replicas = [], replacements = [] } = kustomizationIn(folder);
  for (const path of manifestFolders(folder)) objects.push(...objectsIn(path, when));
  for (const patch of patches) applyPatch(objects, patch, folder, when);
  for (const { name, count } of replicas) {
    const operations: readonly Operation[] = [{ op: 'replace', path: '/spec/replicas', value: count }];
    for (const { node } of selected(objects, { kind: 'Deployment', name })) applyOperations(node, operations, when);
  }
  for (const replacement of replacements) applyReplacement(objects, replacement);
}

function objectsIn(folder: string, when: Condition | undefined): readonly ChartObject[] {
  const { resources = [], configMapGenerator = [] } = kustomizationIn(folder);
  const manifests = [
    ...resources.map((file) => [file, yaml(readFileSync(join(folder, file), 'utf8')) as Manifest] as const),
    ...configMapGenerator.flatMap((map) => map.files.map((file) => [file, generated(map, folder)] as const)),
  ];
  return manifests.map(([file, manifest]) => {
    const node = nodeOf(manifest);
    return { source: relative(MANIFESTS, join(folder, file)), manifest, node, slot: slotOf(node, when) };
  });
}

const generated = ({ name, namespace, files, options }: GeneratedMap, folder: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: options.labels },
  data: Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')])),
});

const matches = (pattern: string | undefined, text: string): boolean =>
  pattern === undefined || new RegExp(`^(?:${pattern})$`).test(text);

/** Returns the objects of a target. A label selector is one label, as in `name=value`. */
export const selected = (objects: readonly ChartObject[], target: Target): readonly ChartObject[] =>
  objects.filter(({ manifest: { apiVersion, kind, metadata } }) => {
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
    const [label = '', value] = target.labelSelector?.split('=') ?? [];
    const isLabelled = target.labelSelector === undefined || metadata.labels?.[label] === value;
    return (
      isLabelled && matches(target.group, group) && matches(target.kind, kind) && matches(target.name, metadata.name)
    );
  });

function applyPatch(objects: readonly ChartObject[], patch: Patch, folder: string, when: Condition | undefined): void {
  const parsed = yaml(patch.patch ?? readFileSync(join(folder, patch.path ?? ''), 'utf8'));
  if (Array.isArray(parsed)) {
    for (const { node } of selected(objects, patch.target ?? {}))
      applyOperations(node, parsed as readonly Operation[], when);
    return;
  }
  const { kind, metadata, $patch } = parsed as Manifest;
  // The kind of a patch with a target can differ from that of the object.
  const fields = Object.entries(parsed as Manifest).filter(([key]) => key !== 'apiVersion' && key !== 'kind');
  for (const { node, slot } of selected(objects, patch.target ?? { kind, name: metadata.name })) {
    if ($patch === 'delete') choose(slot, undefined, when);
    else if (node.kind === 'map') mergeMap(node, Object.fromEntries(fields), when);
  }
}

/** Splits the path of a field, whose parts in brackets can contain dots. */
const fieldParts = (path: string): readonly string[] =>
  [...path.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)].map(([, bracketed, plain]) => bracketed ?? plain ?? '');

/** Copies a field with its conditions. */
function applyReplacement(objects: readonly ChartObject[], { source, targets }: Replacement): void {
  const [from] = selected(objects, source);
  if (from === undefined) throw new Error(`no object ${source.name ?? ''}`);
  const { choices } = slotAt(from.node, fieldParts(source.fieldPath));
  for (const { select, fieldPaths } of targets)
    for (const { node } of selected(objects, select))
      for (const path of fieldPaths) slotAt(node, fieldParts(path)).choices = choices;
}
