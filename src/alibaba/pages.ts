import { PortcullisError } from '../base/errors.ts';
import type { Operation } from './call.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextToken: string;
}

/** All items of an answer that comes in pages, each of which names the next. Rejects `Unavailable` when they go round in a circle. */
export async function allByToken<Item>(
  { action }: Operation,
  read: (nextToken: string | undefined) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  for (let token: string | undefined; ;) {
    const page = await read(token);
    items.push(...page.items);
    if (page.nextToken === '') return items;
    if (seen.has(page.nextToken))
      throw new PortcullisError('Unavailable', `${action}: the pages of the answer go round in a circle`);
    seen.add(page.nextToken);
    token = page.nextToken;
  }
}
