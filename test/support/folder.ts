import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder that is removed, with all in it, when the block that holds it ends. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
