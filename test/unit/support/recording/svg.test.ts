import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderSvg } from '../../../support/recording/svg.ts';
import type { PacedLine } from '../../../support/recording/scenes.ts';

const PICTURE = join(import.meta.dirname, '../../../../docs/recording.svg');
const OPTIONS = { title: 'make <demo>', description: 'A & B', columns: 10, rows: 3, restMs: 1000 };

const line = (atMs: number, text: string, ...styles: PacedLine['parts'][number]['styles']): PacedLine => ({
  seconds: 0,
  atMs,
  parts: text === '' ? [] : [{ text, styles }],
});
const LINES = [line(0, '$ get', 'bold', 'cyan'), line(1000, ''), line(2000, 'a <b> & "c"'), line(3000, 'done')];

/** Returns the names of elements without an end, or with a wrong end. */
function unbalanced(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, end = '', name = '', single = ''] of xml.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (end === '' && single === '') open.push(name);
    if (end !== '' && open.pop() !== name) return [name];
  }
  return open;
}

/** The README shows this animated SVG, and GitHub shows only well-formed pictures without scripts. */
describe('the picture of a recording', () => {
  const picture = renderSvg(LINES, OPTIONS);

  it('has the same bytes for the same lines', () => assert.equal(renderSvg([...LINES], { ...OPTIONS }), picture));

  it('is well-formed, with escaped texts', () => {
    assert.deepEqual(unbalanced(picture), []);
    assert.match(picture, />a &lt;b&gt; &amp; &quot;c<\/text>/);
    assert.match(picture, /<title id="t">make &lt;demo&gt;<\/title>\n<desc id="d">A &amp; B<\/desc>/);
  });

  it('breaks lines at the width, and leaves out empty rows', () => {
    const texts = [...picture.matchAll(/<text y="(\d+)">(.*)<\/text>/g)].map(([, y, text]) => [Number(y), text]);
    assert.deepEqual(texts, [
      [14, '<tspan class="bold cyan">$ get</tspan>'],
      [52, 'a &lt;b&gt; &amp; &quot;c'],
      [71, '&quot;'],
      [90, 'done'],
    ]);
  });

  it('scrolls by a row for each row of text, and rests at the end', () => {
    assert.match(picture, /animation:scroll 4s step-end infinite/);
    const frames = [...picture.matchAll(/([\d.]+)%\{transform:translateY\((-?\d+)px\)\}/g)].map(
      ([, ...frame]) => frame,
    );
    assert.deepEqual(frames, [
      ['0', '38'],
      ['25', '19'],
      ['50', '-19'],
      ['75', '-38'],
    ]);
  });

  it('has colors for light and dark, and stands still on request', () => {
    assert.match(picture, /@media\(prefers-color-scheme:dark\)\{\.back\{fill:#0d1117/);
    assert.match(picture, /@media\(prefers-reduced-motion:reduce\)\{\.text\{animation:none/);
  });
});

describe('the picture in the repository', () => {
  const picture = readFileSync(PICTURE, 'utf8');

  it('is small, well-formed, and without a script or a link', () => {
    assert.ok(picture.length < 200_000, `${picture.length} bytes`);
    assert.deepEqual(unbalanced(picture), []);
    assert.doesNotMatch(picture, /<script|href|url\(|@import/);
  });

  it('takes 60 to 90 seconds', () => {
    const seconds = Number(/animation:scroll ([\d.]+)s/.exec(picture)?.[1]);
    assert.ok(seconds >= 60 && seconds <= 90, `${seconds} s`);
  });

  it('shows a demo that has succeeded', () => {
    assert.match(picture, /\d+ checks held\./);
    assert.doesNotMatch(picture, /✗/);
  });
});
