#!/usr/bin/env node
import { run } from './cli.ts';

/** Whoever read our output has seen enough, as in `portcullis explain | head`. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

process.stdout.on('error', ignoreClosedPipe);
process.stderr.on('error', ignoreClosedPipe);

const code = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  columns: process.stdout.columns,
  colors: process.stdout.isTTY && process.stdout.hasColors(),
});
// A command may have set a code of its own.
if (code !== 0) process.exitCode = code;
