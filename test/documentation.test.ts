import assert from 'node:assert/strict';
import { ENTRIES } from '../src/annotation/catalogue.ts';
import { MARKS } from '../src/annotation/marks.ts';
import { referencePage } from '../src/annotation/reference.ts';
import { REFRESH, staleFiles } from './support/generate.ts';

describe('generated pages', () => {
  it('are what their sources make of them', () => {
    assert.deepEqual(staleFiles(), [], `run ${REFRESH}`);
  });
});

describe('the annotation reference', () => {
  const page = referencePage();

  it('has every annotation with every form of its key', () => {
    for (const [, { key, deprecated, example }] of ENTRIES) {
      assert.ok(page.includes(`${key}: "${example}"`), key);
      for (const form of deprecated) assert.ok(page.includes(`\`${form.slice(form.indexOf('/') + 1)}\``), form);
    }
  });

  it('has every mark', () => {
    for (const { name } of Object.values(MARKS)) assert.ok(page.includes(`| \`${name}\` |`), name);
  });

  it('links only to sections that it has, each heading being there once', () => {
    const headings = [...page.matchAll(/^#{2,3} (.+)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll(' ', '-'),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    assert.equal(new Set(headings).size, headings.length);
    assert.deepEqual(
      links.filter((anchor) => !headings.includes(anchor)),
      [],
    );
  });

  it('keeps its tables whole', () => {
    for (const line of page.split('\n').filter((text) => text.startsWith('|'))) assert.ok(line.endsWith('|'), line);
  });
});
