import type { Context } from './operation.ts';
import type { Arguments } from './parameter.ts';

/** A parameter, and the field of a row that it asks for. */
export type FieldFilter<Row> = readonly [parameter: string, field: (row: Row) => string | undefined];

/** A filter on one field: whatever the call does not ask for passes. */
export function asked(args: Arguments, name: string): (value: string | undefined) => boolean {
  const wanted = args.optional(name) ?? '';
  return (value) => wanted === '' || value === wanted;
}

/** Whether a row has every field that a call asks for. */
export function byFields<Row>(args: Arguments, filters: readonly FieldFilter<Row>[]): (row: Row) => boolean {
  const checks = filters.map(([name, field]) => {
    const passes = asked(args, name);
    return (row: Row): boolean => passes(field(row));
  });
  return (row) => checks.every((check) => check(row));
}

/** Whether a resource of VPC or ECS carries all tags that a call asks for; one without a value matches any. */
export function byTags(args: Arguments, kind: string, { world }: Context): (row: { readonly id: string }) => boolean {
  const wanted = args.objects('Tag').map((tag) => [tag.optional('Key') ?? '', tag.optional('Value') ?? ''] as const);
  return ({ id }) => {
    const tags = world.tags.of(kind, id);
    return wanted.every(([key, value]) => Object.hasOwn(tags, key) && (value === '' || tags[key] === value));
  };
}
