import type { SimulatedCloud } from './cloud-state.ts';
import { AdminError } from './error.ts';
import type { Table } from './table.ts';

/** The target of a seed: the simulated cloud and its current time. */
export interface SeedContext {
  readonly cloud: SimulatedCloud;
  readonly now: number;
}

/** Returns a time of the seed in milliseconds since the epoch, by default `now`. */
export const time = (text: string | undefined, now: number): number => (text === undefined ? now : Date.parse(text));

/** Returns the row with this id. Throws an `AdminError` that names `field` if the row does not exist. */
export function existing<Row extends { readonly id: string }>(table: Table<Row>, id: string, field: string): Row {
  const row = table.get(id);
  if (row === undefined) throw new AdminError(`seed.${field}: ${id} does not exist`);
  return row;
}

/** Returns the id of a seeded resource, and stores its tags under `kind`. Generates an id if the seed has none. */
export function named(
  seedContext: SeedContext,
  kind: string,
  prefix: string,
  item: { id?: string | undefined; tags?: Record<string, string> },
): string {
  const id = item.id ?? seedContext.cloud.ids.id(prefix);
  if (item.tags !== undefined) seedContext.cloud.world.tags.set(kind, id, item.tags, 0);
  return id;
}

/** Returns a seeded resource without its tags, because the tag store has the tags. */
export function untagged<Item extends { readonly tags: unknown }>(item: Item): Omit<Item, 'tags'> {
  const copy: { tags?: unknown } & Omit<Item, 'tags'> = { ...item };
  delete copy.tags;
  return copy;
}
