import assert from 'node:assert/strict';
import { printProgress } from '../../../src/local/progress.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function printed(isTTY: boolean) {
  const chunks: string[] = [];
  const clock = new VirtualClock();
  const progress = printProgress({ isTTY, write: (text) => chunks.push(text) }, clock);
  return { progress, clock, text: () => chunks.join('') };
}

/** Returns the report of a step of about 4 minutes after some seconds. */
const reportOf = async (seconds: number): Promise<string> => {
  const { progress, clock, text } = printed(false);
  await progress.step('building 7 tools', () => clock.advance(seconds * 1000), 240_000);
  return text().trimEnd().split('\n').at(-2) ?? '';
};

/** The first start of a sandbox takes minutes, so users need its progress. */
describe('the progress output', () => {
  it('contains the duration of a step, in plain text without a terminal', async () => {
    const { progress, clock, text } = printed(false);
    const result = await progress.step('building etcd', async () => {
      await clock.advance(2500);
      return 'built';
    });
    assert.equal(result, 'built');
    assert.match(text(), /^ {2}✓ building etcd +2\.5 s\n$/);
    assert.ok(!text().includes('\u001b'));
  });

  it('has a percentage if the duration is known', async () => {
    assert.equal(await reportOf(95), '  … building 7 tools, 37 %, 1 min 30 s of about 4 min 0 s');
  });

  it('never shows a running step as complete', async () => {
    assert.equal(await reportOf(300), '  … building 7 tools, 99 %, 5 min 0 s of about 4 min 0 s');
  });

  it('marks a failed step, and passes its error on', async () => {
    const { progress, text } = printed(false);
    const failing = progress.step('building etcd', async () => {
      throw new Error('no space left');
    });
    await assert.rejects(failing, /no space left/);
    assert.match(text(), /✗ building etcd/);
  });

  it('has colors, and clears the rewritten line, on a terminal', async () => {
    const { progress, text } = printed(true);
    await progress.step('building etcd', async () => undefined);
    progress.line('done');
    assert.ok(text().includes('\u001b[32m✓'));
    assert.ok(text().endsWith('\r\u001b[2Kdone\n'));
  });
});
