import type { Condition } from './condition.ts';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A node of an object in a template. Patches change the nodes, and print.ts writes them as text. */
export type Node = Scalar | Text | Branch;
export interface Scalar {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}
/** A template action in the place of a scalar. */
export interface Text {
  readonly kind: 'text';
  readonly text: string;
}
export type Branch = MapNode | ListNode;
export interface MapNode {
  readonly kind: 'map';
  readonly members: Map<string, Slot>;
  further?: Further;
}
export interface ListNode {
  readonly kind: 'list';
  readonly items: Slot[];
  further?: Further;
}

/** A value of the chart (`path`) with further members or items, which users set. */
export interface Further {
  readonly path: string;
  /** True if the field is printed even if the value is empty. */
  readonly isRequired: boolean;
}

/** The place of a node. The slot has the node of the first choice whose condition applies. */
export interface Slot {
  choices: readonly Choice[];
}
export interface Choice {
  /** Undefined if the choice always applies. */
  readonly when?: Condition | undefined;
  /** Undefined if the choice removes the node. */
  readonly node?: Node | undefined;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const slotOf = (node: Node, when?: Condition): Slot => ({ choices: [{ when, node }] });

/** Returns the node of a JSON value. With a condition, the leaves of a map and the items of a list depend on the condition. */
export function nodeOf(value: Json, when?: Condition): Node {
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, member]) => [key, conditionalSlot(member, when)] as const);
    return { kind: 'map', members: new Map(members) };
  }
  if (typeof value === 'object' && value !== null)
    return { kind: 'list', items: value.map((item) => slotOf(nodeOf(item), when)) };
  return { kind: 'scalar', value };
}

/** Returns the slot of a value that only exists under a condition. */
export const conditionalSlot = (value: Json, when?: Condition): Slot =>
  typeof value === 'object' && value !== null ? slotOf(nodeOf(value, when)) : slotOf(nodeOf(value), when);

/** Adds a choice that precedes the others. Without a condition, the choice replaces them. */
export function choose(slot: Slot, node: Node | undefined, when: Condition | undefined): void {
  slot.choices = when === undefined ? [{ node }] : [{ when, node }, ...slot.choices];
}

/** Replaces the choice that always applies. */
export function chooseByDefault(slot: Slot, node: Node): void {
  slot.choices = slot.choices.map((choice) => (choice.when === undefined ? { node } : choice));
}

/** Returns the node that a slot has if no condition applies. */
export function defaultNode(slot: Slot | undefined): Node | undefined {
  return slot?.choices.find(({ when }) => when === undefined)?.node;
}
