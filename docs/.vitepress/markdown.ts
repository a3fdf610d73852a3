/** Returns what the first group of a pattern matches, each time. */
export const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

const FENCES = /^ *```[^\n]*\n[^]*?^ *``` *$/gm;

/** Returns the fenced blocks of a page. */
export const blocksOf = (page: string): readonly string[] => [...page.matchAll(FENCES)].map(([block]) => block);

/** Returns the page without its fenced blocks. */
export const withoutBlocks = (page: string): string => page.replaceAll(FENCES, '');

/** Returns the headings of a page with their levels. */
export const headingsOf = (page: string): readonly { readonly level: number; readonly text: string }[] =>
  [...withoutBlocks(page).matchAll(/^(#+) +(.+)$/gm)].map(([, signs = '', text = '']) => ({
    level: signs.length,
    text,
  }));

/** Returns the anchor of a heading, as code hosts make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Returns the anchors of the headings of a page. */
export const anchorsOf = (page: string): readonly string[] => headingsOf(page).map(({ text }) => anchorOf(text));

/** Returns the targets of the links of a page. */
export const linksOf = (page: string): readonly string[] =>
  matches(withoutBlocks(page).replaceAll(/`[^`\n]+`/g, ''), /\]\(([^)\s]+)\)/g);

/** Returns the texts between backquotes of a page. */
export const namesOf = (page: string): readonly string[] => matches(withoutBlocks(page), /`([^`\n]+)`/g);

/** Replaces the links of a page. Fenced blocks stay. */
export function withLinks(page: string, replace: (text: string, target: string) => string): string {
  const blocks = blocksOf(page);
  return page
    .split(FENCES)
    .map((prose) =>
      prose.replaceAll(/\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^)\s]+)\)/g, (_link, text: string, target: string) =>
        replace(text, target),
      ),
    )
    .map((prose, index) => prose + (blocks[index] ?? ''))
    .join('');
}
