#!/usr/bin/env node
// The command `portcullis` of an npm installation. Runs the bundle, or the sources if no bundle exists, as after an installation from git.
import { existsSync, readFileSync } from 'node:fs';
import * as loader from 'node:module';
import { URL } from 'node:url';

/** The oldest supported major version of Node.js, equal to `engines` in package.json. */
const OLDEST_NODE = 24;

/** Returns a TypeScript source without its types. Suppresses the warning of Node that `stripTypeScriptTypes` is experimental. */
function stripTypes(source) {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return loader.stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Loads TypeScript also below `node_modules`, where Node itself does not. */
const loadSource = (url, context, next) =>
  url.endsWith('.ts')
    ? {
        format: 'module',
        source: stripTypes(readFileSync(new URL(url), 'utf8')),
        shortCircuit: true,
      }
    : next(url, context);

const { node } = process.versions;
const bundle = new URL('../dist/src/main.js', import.meta.url);
if (Number(node.split('.')[0]) < OLDEST_NODE) {
  // An older Node.js cannot parse the other files, so the check precedes their imports.
  process.stderr.write(
    `portcullis requires Node ${OLDEST_NODE} or newer, and this is Node ${node}: install a newer Node, or use the container image\n`,
  );
  process.exitCode = 2;
} else if (existsSync(bundle)) {
  await import(bundle.href);
} else {
  loader.registerHooks({ load: loadSource });
  await import('./main.ts');
}
