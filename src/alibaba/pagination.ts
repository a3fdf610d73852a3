import { PortcullisError } from '../base/errors.ts';
import type { CloudOperation } from './cloud-call-types.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  /** The token of the next page; empty on the last page. */
  readonly nextToken: string;
}

/** Returns the items of all pages of an ECS or VPC list. Rejects with `Unavailable` if the pages form an endless cycle. */
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
      throw new PortcullisError(
        'Unavailable',
        `${action}: the list has no end, because the next page is an earlier page; if the error lasts, report it to Alibaba Cloud`,
      );
    seen.add(page.nextToken);
    token = page.nextToken;
  }
}
