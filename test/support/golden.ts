import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** An environment variable. If it has any value, the text is written to the file, and is not compared. */
const UPDATE = 'UPDATE_GOLDEN';

/** Compares a text with the reviewed file. A missing file fails with the command that writes it. */
export function assertGolden(file: string, text: string): void {
  if (process.env[UPDATE] !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const hint = `${UPDATE}=1 node test/run.ts golden writes it anew: read the difference before you commit it`;
  assert.ok(existsSync(file), `${relative(ROOT, file)} is missing; ${hint}`);
  assert.equal(text, readFileSync(file, 'utf8'), `${relative(ROOT, file)} has another content; ${hint}`);
}
