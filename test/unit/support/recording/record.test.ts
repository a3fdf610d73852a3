import assert from 'node:assert/strict';
import { join } from 'node:path';
import { script } from '../../../support/fake-go.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { record } from '../../../support/recording/record.ts';

/** Records a program with a fake command "script", which runs this shell code. Without code, the command is missing. */
async function recorded(code?: string) {
  using folder = temporaryFolder();
  if (code !== undefined) script(join(folder.path, 'script'), code);
  const echoed: string[] = [];
  const transcript = await record({
    command: ['node', "it's.js", 'demo'],
    env: { PATH: code === undefined ? folder.path : `${folder.path}:/usr/bin:/bin` },
    width: 90,
    height: 20,
    echo: (text) => echoed.push(text),
  });
  return { transcript, echoed };
}

/** `make recording` records the demo for the README. A broken recording would show readers another output than the demo has. */
describe('a recording', () => {
  it('runs the program on a pseudo terminal of the given size', async () => {
    const { transcript } = await recorded('printf "%s" "$5"');
    const text = transcript.events.map((event) => event.text).join('');
    assert.equal(text, `stty cols 90 rows 20 && exec 'node' 'it'\\''s.js' 'demo'`);
    assert.deepEqual([transcript.width, transcript.height], [90, 20]);
  });

  it('has the output with times, and shows the output', async () => {
    const { transcript, echoed } = await recorded('echo one; sleep 0.2; echo two');
    assert.deepEqual(echoed, ['one\n', 'two\n']);
    const [first = 0, second = 0] = transcript.events.map(({ seconds }) => seconds);
    assert.ok(second - first > 0.1, `${first} s, ${second} s`);
  });

  it('fails if the program fails', () =>
    assert.rejects(recorded('exit 3'), { message: 'the recorded program ended with code 3' }));

  it('names the missing command', () =>
    assert.rejects(recorded(), { message: 'script not found: a recording needs the command "script" of util-linux' }));
});
