import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { readListItems } from '../../../src/kubernetes/list-json-splitter.ts';

const ITEMS = [
  { metadata: { name: 'a', labels: {} }, spec: { ports: [{ port: 80 }, { port: 443 }] } },
  { metadata: { name: '"items":[{"\\' }, text: 'brackets ]}{[ and quotes \\" and 中文 ☃ 😀' },
  { empty: [] },
];
const METADATA = { resourceVersion: '7', continue: 'more', items: [{ not: 'an item' }] };

/** Reads a text in chunks of `size` bytes. */
async function read(text: string, size: number): Promise<{ readonly frame: unknown; readonly items: unknown[] }> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const items: unknown[] = [];
  const frame = await readListItems(Readable.from(pieces), (item) => items.push(JSON.parse(item)));
  return { frame, items };
}

/** Large lists are read item by item, because a whole list would not fit into memory. */
describe('the items of a list', () => {
  const lists = {
    'of a built-in kind': { kind: 'ServiceList', metadata: METADATA, items: ITEMS },
    'of a custom resource, with the metadata after them': { items: ITEMS, kind: 'List', metadata: METADATA },
    'of an empty list': { kind: 'ServiceList', metadata: METADATA, items: [] },
    'of an empty list without an array': { kind: 'ServiceList', metadata: METADATA, items: null },
  };
  for (const [title, list] of Object.entries(lists)) {
    it(`are read one by one for any chunk boundary: ${title}`, async () => {
      for (const indent of [0, 2]) {
        const text = JSON.stringify(list, null, indent);
        for (const size of [1, 2, 3, 7, 64, 10_000]) {
          const { frame, items } = await read(text, size);
          assert.deepEqual(items, list.items ?? []);
          assert.deepEqual(frame, { ...list, items: list.items === null ? null : [] });
        }
      }
    });
  }

  for (const text of ['', '<html>', '{"items":[{"a":1}', '[]', '7']) {
    it(`are rejected with a SyntaxError if the response is ${JSON.stringify(text)}`, async () => {
      await assert.rejects(read(text, 4), SyntaxError);
    });
  }
});
