import type { OperationContext } from './operation.ts';
import type { Arguments } from './parameter.ts';

/** A parameter of an operation that lists resources, and the field of the resources that must equal the parameter. */
export type FieldFilter<Row> = readonly [parameter: string, field: (row: Row) => string | undefined];

/** Returns a filter for values that equal the parameter `name`. If the parameter is missing or empty, the filter accepts every value. */
export function matchesParameter(args: Arguments, name: string): (value: string | undefined) => boolean {
  const wanted = args.optional(name) ?? '';
  return (value) => wanted === '' || value === wanted;
}

/** Returns a filter for resources that match all parameters of the call. */
export function byFields<Row>(args: Arguments, filters: readonly FieldFilter<Row>[]): (row: Row) => boolean {
  const checks = filters.map(([name, field]) => {
    const passes = matchesParameter(args, name);
    return (row: Row): boolean => passes(field(row));
  });
  return (row) => checks.every((check) => check(row));
}

/** Returns a filter for VPC or ECS resources with all requested tags. A requested tag without a value matches any value. */
export function byTags(
  args: Arguments,
  kind: string,
  { world }: OperationContext,
): (row: { readonly id: string }) => boolean {
  const wanted = args.objects('Tag').map((tag) => [tag.optional('Key') ?? '', tag.optional('Value') ?? ''] as const);
  return ({ id }) => {
    const tags = world.tags.of(kind, id);
    return wanted.every(([key, value]) => Object.hasOwn(tags, key) && (value === '' || tags[key] === value));
  };
}
