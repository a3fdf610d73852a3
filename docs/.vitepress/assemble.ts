import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES, textOf } from './pages.ts';

/** The folder that VitePress builds the site from. */
const FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'pages');

rmSync(FOLDER, { recursive: true, force: true });
for (const page of PAGES) {
  const path = join(FOLDER, page.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, textOf(page, process.env['REPOSITORY']));
}
process.stdout.write(`${PAGES.length} pages\n`);
