import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Set to anything to write what was produced instead of comparing it. */
const UPDATE = 'UPDATE_GOLDEN';

/** Compares a text with the file that a reviewer has seen. A missing file fails, and says how it is written. */
export function assertGolden(file: string, text: string): void {
  if (process.env[UPDATE] !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const hint = `${UPDATE}=1 node test/run.ts golden writes it anew: read the difference before you commit it`;
  assert.ok(existsSync(file), `${relative(ROOT, file)} is missing; ${hint}`);
  assert.equal(text, readFileSync(file, 'utf8'), `${relative(ROOT, file)} says something else; ${hint}`);
}
