import { operationsOf } from '../operation-factory.ts';
import { CloudError } from '../error.ts';
import { pageByNumber, pageByToken } from '../page.ts';
import { integer, objects, required, text, type Arguments, type Parameter } from '../parameter.ts';

/*
 * The parameters, rates and pages that several operations of ECS share.
 */

/** Functions that define reading and writing operations of ECS, with the default rate limits of ECS. */
export const { read, write } = operationsOf({
  reads: { calls: 1_000, seconds: 60 },
  writes: { calls: 500, seconds: 60 },
});

export const REGION = required(text('RegionId'));
export const TAG = objects('Tag', 20, [text('Key', { length: [1, 128] }), text('Value', { length: [0, 128] })]);
export const paging = (fewest: number, most: number): readonly Parameter[] => [
  integer('MaxResults', [fewest, most]),
  text('NextToken'),
  integer('PageNumber', [1, 100_000]),
  integer('PageSize', [1, 100]),
];

/**
 * Returns the requested page of a list, with the counts of the response. `NextToken` names the page, unless the call has `PageNumber` or `PageSize`.
 */
export function paged<Row>(
  args: Arguments,
  rows: readonly Row[],
): { readonly rows: readonly Row[]; readonly counts: object } {
  const size = args.integer('PageSize') ?? 10;
  if (args.has('PageNumber') || args.has('PageSize')) {
    const number = args.integer('PageNumber') ?? 1;
    return {
      rows: pageByNumber(rows, number, size),
      counts: { PageNumber: number, PageSize: size, TotalCount: rows.length },
    };
  }
  const { items, next } = pageByToken(rows, args.optional('NextToken'), args.integer('MaxResults') ?? size);
  return { rows: items, counts: { PageNumber: 1, PageSize: size, NextToken: next ?? '', TotalCount: rows.length } };
}

/** Parses a parameter with a JSON list. Returns undefined if the parameter is missing. */
export function jsonList(args: Arguments, name: string): readonly string[] | undefined {
  const json = args.optional(name) ?? '';
  if (json === '') return undefined;
  const malformed = new CloudError('InvalidParameter', `${name} must be JSON text, a list of at most 100 strings.`);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw malformed;
  }
  if (!Array.isArray(value) || value.length > 100) throw malformed;
  return value.map(String);
}
