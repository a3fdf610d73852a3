#!/usr/bin/env node
/** The oldest major version of Node that runs the program; `engines` in package.json says the same. */
const OLDEST_NODE = 24;

const { node } = process.versions;
if (Number(node.split('.')[0]) < OLDEST_NODE) {
  // An older Node can run this file alone, so nothing else is loaded before.
  process.stderr.write(
    `portcullis needs Node ${OLDEST_NODE} or newer, and this is Node ${node}: install a newer Node, or use the container image\n`,
  );
  process.exitCode = 2;
} else {
  void import('./cli.ts').then(({ main }) => main());
}
