import { fuzz } from './fuzz.ts';

/** A million generated reviews; `SEED`, `COUNT` and the first `CASE` can be set in the environment. */
const DEFAULTS = { SEED: 1, COUNT: 1_000_000, CASE: 0 };
const USAGE = 2;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** A number from the environment, or its default; NaN for what is none. */
function setting(name: keyof typeof DEFAULTS): number {
  const text = process.env[name] ?? '';
  if (text === '') return DEFAULTS[name];
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}

async function main(): Promise<number> {
  const [seed, count, from] = [setting('SEED'), setting('COUNT'), setting('CASE')];
  if (![seed, count, from].every(Number.isSafeInteger)) {
    process.stderr.write('SEED, COUNT and CASE are whole numbers: make fuzz SEED=1 COUNT=1000000 CASE=0\n');
    return USAGE;
  }
  say(`SEED=${seed} COUNT=${count} CASE=${from}`);
  const report = await fuzz({ seed, count, from, onProgress: (done) => say(`  ${done} reviews`) });
  for (const complaint of report.complaints) say(complaint);
  const decisions = Object.entries(report.decisions).map(([decision, times]) => `${times} ${decision}`);
  say(`${decisions.join(', ')}; ${report.overTheWire} also over TLS`);
  say(`${report.seconds.toFixed(0)} s, the slowest review ${report.slowestMs.toFixed(0)} ms`);
  const [first] = report.complaints;
  if (first !== undefined) say(`again with: make fuzz SEED=${seed} COUNT=1 CASE=${/\d+/.exec(first)?.[0] ?? ''}`);
  return first === undefined ? 0 : 1;
}

process.exitCode = await main();
