import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rootLogger } from '../../../src/base/log.ts';
import { inNewTrace, traceId } from '../../../src/base/trace-context.ts';

const LOG = join(import.meta.dirname, '../../../src/base/log.ts');

/** Returns the output of a process that runs this program. */
const printed = (program: string): string =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      `--eval=const { perTickOutput } = await import(${JSON.stringify(LOG)}); const output = perTickOutput(); ${program}`,
    ],
    { encoding: 'utf8' },
  ).stdout;

/** Each write to the output costs a system call. Lines are therefore collected, but none may be lost at the end of the process. */
describe('an output that writes once per iteration of the event loop', () => {
  it('prints every line once and in order, for any number of lines', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join('');
    assert.equal(printed('for (let n = 0; n < 5_000; n++) output.write(`line ${n}\\n`);'), lines);
  });

  it('prints lines of later iterations too', () => {
    assert.equal(printed("output.write('one\\n'); setTimeout(() => output.write('two\\n'), 1);"), 'one\ntwo\n');
  });

  it('prints lines that are written right before the process ends', () => {
    assert.equal(printed("output.write('last words\\n'); process.exit(1);"), 'last words\n');
  });

  it('prints a line before the work of the next iteration starts', () => {
    const program =
      "const { writeSync } = await import('node:fs'); output.write('first\\n'); setImmediate(() => writeSync(1, 'second\\n'));";
    assert.equal(printed(program), 'first\nsecond\n');
  });
});

describe('a log line', () => {
  it('contains the current trace, with all its own fields', () => {
    let text = '';
    const log = rootLogger('info', { write: (line) => void (text += line) }).child({ controller: 'c' });
    const id = inNewTrace(Math.random, () => {
      log.info({ object: 'o' }, 'within');
      return traceId();
    });
    log.info({ object: 'o' }, 'outside');
    const [within, outside] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual([within?.['controller'], within?.['object']], ['c', 'o']);
    assert.deepEqual({ ...within }, { ...outside, time: within?.['time'], traceId: id, msg: 'within' });
    assert.ok(outside !== undefined && !('traceId' in outside));
  });
});
