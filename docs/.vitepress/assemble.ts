import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES, SCHEMAS, textOf } from './pages.ts';

/** The folder that VitePress builds the site from. */
const FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'pages');

rmSync(FOLDER, { recursive: true, force: true });
for (const page of PAGES) {
  const path = join(FOLDER, page.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, textOf(page, process.env['REPOSITORY']));
}
// VitePress serves the files of this folder as they are.
for (const schema of SCHEMAS) {
  cpSync(join(import.meta.dirname, '..', schema), join(FOLDER, 'public', schema));
}
process.stdout.write(`${PAGES.length} pages\n`);
