import { PortcullisError } from '../base/errors.ts';
import type { CloudOperation } from './call.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextToken: string;
}

/** Returns the items of all pages. Each page names the next page. Rejects `Unavailable` if a page names an earlier page. */
export async function allByToken<Item>(
  { action }: CloudOperation,
  read: (nextToken: string | undefined) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  for (let token: string | undefined; ;) {
    const page = await read(token);
    items.push(...page.items);
    if (page.nextToken === '') return items;
    if (seen.has(page.nextToken))
      throw new PortcullisError('Unavailable', `${action}: a page of the list refers to an earlier page`);
    seen.add(page.nextToken);
    token = page.nextToken;
  }
}
