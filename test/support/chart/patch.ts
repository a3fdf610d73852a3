import type { Condition } from './condition.ts';
import {
  choose,
  conditionalSlot,
  defaultNode,
  isObject,
  nodeOf,
  slotOf,
  type Json,
  type JsonObject,
  type ListNode,
  type MapNode,
  type Node,
  type Slot,
} from './template-node.ts';

/** An operation of a JSON patch. This file applies the patches of the kustomizations to the objects of the chart. */
export interface Operation {
  readonly op: 'add' | 'replace' | 'remove' | 'test';
  readonly path: string;
  readonly value?: Json;
}

/** The member that identifies the items of a list in a strategic merge patch, by the name of the list. The patch replaces other lists. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  volumes: 'name',
  webhooks: 'name',
};

const partsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const memberSlot = (node: Node | undefined, part: string): Slot | undefined => {
  if (node?.kind === 'map') return node.members.get(part);
  return node?.kind === 'list' ? node.items[Number(part)] : undefined;
};

/** Returns the slot at a path of an object. Throws if the object has no such path. */
export function slotAt(object: Node, parts: readonly string[]): Slot {
  let node: Node | undefined = object;
  let slot: Slot | undefined;
  for (const part of parts) {
    slot = memberSlot(node, part);
    node = defaultNode(slot);
  }
  if (slot === undefined) throw new Error(`the object has no ${parts.join('/')}`);
  return slot;
}

const nodeAt = (object: Node, parts: readonly string[]): Node | undefined =>
  parts.length === 0 ? object : defaultNode(slotAt(object, parts));

/** Applies a JSON patch to an object, under a condition. */
export function applyOperations(object: Node, operations: readonly Operation[], when: Condition | undefined): void {
  for (const { op, path, value = null } of operations) {
    const parts = partsOf(path);
    if (op === 'replace') choose(slotAt(object, parts), nodeOf(value), when);
    else if (op === 'remove') choose(slotAt(object, parts), undefined, when);
    else if (op === 'add') addAt(object, parts, value, when);
  }
}

function addAt(object: Node, parts: readonly string[], value: Json, when: Condition | undefined): void {
  const parent = nodeAt(object, parts.slice(0, -1));
  const last = parts.at(-1) ?? '';
  if (parent?.kind === 'list') parent.items.push(slotOf(nodeOf(value), when));
  else if (parent?.kind === 'map') mergeMember(parent, last, value, when);
  else throw new Error(`nothing can be added at ${parts.join('/')}`);
}

/** Merges a value into a member of a map, under a condition. */
function mergeMember(parent: MapNode, key: string, value: Json, when: Condition | undefined): void {
  const slot = parent.members.get(key);
  const node = defaultNode(slot);
  if (slot === undefined) parent.members.set(key, conditionalSlot(value, when));
  else if (isObject(value) && node?.kind === 'map') mergeMap(node, value, when);
  else if (Array.isArray(value) && node?.kind === 'list' && key in MERGE_KEYS)
    mergeList(node, value as readonly JsonObject[], MERGE_KEYS[key] ?? '', when);
  else if (node?.kind !== 'scalar' || node.value !== value) choose(slot, nodeOf(value), when);
}

export function mergeMap(node: MapNode, patch: JsonObject, when: Condition | undefined): void {
  for (const [key, value] of Object.entries(patch)) mergeMember(node, key, value, when);
}

/** Merges items by their key. New items precede the others, as in kustomize. */
function mergeList(node: ListNode, patch: readonly JsonObject[], key: string, when: Condition | undefined): void {
  const added: Slot[] = [];
  for (const value of patch) {
    const own = node.items.map(defaultNode).find((item) => isItem(item, key, value[key]));
    if (own === undefined) added.push(slotOf(nodeOf(value), when));
    else mergeMap(own, value, when);
  }
  node.items.unshift(...added);
}

function isItem(item: Node | undefined, key: string, value: Json | undefined): item is MapNode {
  if (item?.kind !== 'map') return false;
  const own = defaultNode(item.members.get(key));
  return own?.kind === 'scalar' && own.value === value;
}
