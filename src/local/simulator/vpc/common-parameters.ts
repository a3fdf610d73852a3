import { operationsOf } from '../operation-factory.ts';
import { integer, objects, required, text, type Arguments, type Parameter } from '../parameter.ts';
import { pageByNumber } from '../page.ts';
import type { SimulatedTags } from '../tag-store.ts';

/*
 * The parameters, rates and forms of responses that several operations of the VPC API share.
 */

/** Functions that define reading and writing operations of the VPC API, with the default rate limits of this API. */
export const { read, write } = operationsOf({
  reads: { calls: 600, seconds: 60 },
  writes: { calls: 300, seconds: 60 },
});

export const REGION_ID = text('RegionId');
export const REGION = required(REGION_ID);
export const CLIENT_TOKEN = text('ClientToken', { length: [0, 64] });
/** The error codes for a repeated `ClientToken`. */
export const TOKEN = { processing: 'LastTokenProcessing', mismatch: 'IdempotentParameterMismatch' } as const;
export const TAG = objects('Tag', 20, [text('Key', { length: [1, 128] }), text('Value', { length: [0, 128] })]);
export const paging = (max: number): readonly Parameter[] => [
  integer('PageNumber', [1, 100_000]),
  integer('PageSize', [1, max]),
];

/** Returns tags in the form of VPC responses. */
export const tagView = (tags: SimulatedTags): object => ({
  Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
});

/** Returns the requested page of a list, with the counts of the response. A page has ten items by default. */
export function numbered<Row>(
  args: Arguments,
  rows: readonly Row[],
): { readonly rows: readonly Row[]; readonly counts: { PageNumber: number; PageSize: number; TotalCount: number } } {
  const [PageNumber, PageSize] = [args.integer('PageNumber') ?? 1, args.integer('PageSize') ?? 10];
  return { rows: pageByNumber(rows, PageNumber, PageSize), counts: { PageNumber, PageSize, TotalCount: rows.length } };
}
