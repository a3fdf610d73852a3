import assert from 'node:assert/strict';
import { DemoProgress } from '../../../../src/local/demo/step-progress.ts';
import { createNarrator } from '../../../../src/local/demo/narrator.ts';
import { demoSteps } from '../../../../src/local/demo/step-order.ts';
import { formOf } from '../../../../src/local/terminal.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** `make demo` runs its steps in a fixed order, because later steps need the state that earlier steps leave in the cluster. */
describe('the progress of the demo', () => {
  it('prints the number, title and purpose of each step, and the durations at the end', async () => {
    let text = '';
    const write = (more: string): void => void (text += more);
    const clock = new VirtualClock();
    const narrator = createNarrator({ write, form: formOf({ write }, {}), clock });
    const progress = new DemoProgress(narrator, clock, 2);
    await progress.run({ title: 'A step', about: 'It shows much.' }, () => clock.advance(1500));
    progress.heading('Summary');
    progress.printDurations();
    assert.match(text, /^\n── 1\/2 {2}A step ─+\nIt shows much\.\n\n── 2\/2 {2}Summary ─+\n/);
    assert.match(text, /\n1 {3}A step {6}1\.5 s\n {4}all steps {3}1\.5 s\n$/);
  });
});

describe('the order of the steps', () => {
  const titles = demoSteps([]).map(({ title }) => title);

  it('contains no step twice', () => assert.equal(new Set(titles).size, titles.length));

  it('finds the orphan before the step that restarts the controller', () => {
    const at = (pattern: RegExp): number => titles.findIndex((title) => pattern.test(title));
    assert.ok(at(/lost Service/) < at(/killed/));
    assert.ok(at(/killed/) < at(/completes the creation/));
    assert.ok(at(/completes the creation/) < at(/Migrated/));
  });
});
