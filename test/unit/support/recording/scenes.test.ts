import assert from 'node:assert/strict';
import { demoSteps } from '../../../../src/local/demo/step-order.ts';
import { paced, SCENES, scenesIn } from '../../../support/recording/scenes.ts';
import { textOf, type TerminalLine } from '../../../support/recording/terminal-lines.ts';

const line = (text: string, seconds = 0): TerminalLine => ({ seconds, parts: [{ text, styles: [] }] });
const DEMO = [
  ...['── 1/3  First ───', 'one', '── 2/3  Second ───', 'two', '── 3/3  Summary ───', 'three'],
  ...['88 checks held.', 'Try next:'],
].map((text) => line(text));

/** The recorded demo takes minutes, so the picture in the README shows only these scenes, with shortened waits. */
describe('the scenes of a recording', () => {
  it('are the named steps and the ending', () => {
    const texts = scenesIn(DEMO, ['Second']).map(textOf);
    assert.deepEqual(texts, ['── 2/3  Second ───', 'two', '88 checks held.', 'Try next:']);
  });

  it('exist in the demo', () => {
    const titles = demoSteps([]).map(({ title }) => title);
    assert.deepEqual(
      SCENES.filter((title) => !titles.includes(title)),
      [],
    );
  });

  it('are rejected if a step is missing', () =>
    assert.throws(() => scenesIn(DEMO, ['First', 'Third']), /the transcript has no step "Third"/));

  it('are rejected if the demo has failed', () =>
    assert.throws(() => scenesIn(DEMO.slice(0, -2), ['First']), /the transcript has no ending/));
});

describe('the pace of a recording', () => {
  const times = (...lines: readonly TerminalLine[]): readonly number[] => paced(lines).map(({ atMs }) => atMs);

  it('shortens long waits', () => assert.deepEqual(times(line('one', 0), line('two', 30)), [0, 2000]));

  it('keeps waits of up to two seconds', () => assert.deepEqual(times(line('one', 0), line('two', 1.5)), [0, 1500]));

  it('leaves time to read fast output', () => {
    const shown = times(
      line('── 1/3  First ───'),
      line('$ kubectl get clb'),
      line('NAME'),
      line('✓ a check'),
      line(''),
    );
    assert.deepEqual(shown, [0, 1000, 1220, 1820, 1820]);
  });
});
