#!/usr/bin/env node
/** The oldest supported major version of Node.js, equal to `engines` in package.json. */
const OLDEST_NODE = 24;

const { node } = process.versions;
if (Number(node.split('.')[0]) < OLDEST_NODE) {
  // An older Node.js cannot parse the other files, so the check precedes every import.
  process.stderr.write(
    `portcullis requires Node ${OLDEST_NODE} or newer, and this is Node ${node}: install a newer Node, or use the container image\n`,
  );
  process.exitCode = 2;
} else {
  void import('./cli.ts').then(({ main }) => main());
}
