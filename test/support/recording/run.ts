import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { record } from './record.ts';
import { paced, SCENES, scenesIn } from './scenes.ts';
import { leaksIn, stabilize } from './stable-names.ts';
import { renderSvg } from './svg.ts';
import { linesOf, textOf } from './terminal-lines.ts';
import { fromAsciicast, toAsciicast, type Transcript } from './transcript.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TRANSCRIPT = join(ROOT, 'dist/recording.cast');
const PICTURE = join(ROOT, 'docs/recording.svg');
const SIZE = { width: 100, height: 28 };

/** Runs the demo in its own sandbox, and keeps the transcript. */
async function recordDemo(): Promise<Transcript> {
  const transcript = await record({
    ...SIZE,
    command: [process.execPath, join(ROOT, 'dist/src/local/main.js'), 'demo'],
    env: { ...process.env, SANDBOX: 'recording', WITHOUT: '' },
    echo: (text) => process.stdout.write(text),
  });
  writeWhole(TRANSCRIPT, toAsciicast(transcript));
  return transcript;
}

function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  process.stdout.write(`written: ${relative(process.cwd(), path)}\n`);
}

function pictureOf({ width, height, events }: Transcript): string {
  const lines = stabilize(scenesIn(linesOf(events), SCENES));
  const leaks = leaksIn(lines.map(textOf), { hostname: hostname(), home: homedir(), folder: ROOT });
  if (leaks.length > 0) throw new Error(`these lines contain a name of this machine or a secret:\n${leaks.join('\n')}`);
  return renderSvg(paced(lines), {
    title: 'make demo',
    description:
      'A terminal in which the demo denies a bad Service with six violations, creates a load balancer, and survives the end of its controller.',
    columns: width,
    rows: height,
    restMs: 5000,
  });
}

/** Runs `make recording`: records the demo, or reads the transcript that the argument names, and writes the picture of docs/. */
async function main([path]: readonly string[]): Promise<void> {
  writeWhole(PICTURE, pictureOf(path === undefined ? await recordDemo() : fromAsciicast(readFileSync(path, 'utf8'))));
}

await main(process.argv.slice(2));
