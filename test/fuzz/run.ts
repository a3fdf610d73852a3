import { changes } from './change/changes.ts';
import { fuzz } from './fuzz.ts';

/** Defaults of the environment variables. `COUNT` is the number of reviews, and `CASE` the number of the first. */
const DEFAULTS = { SEED: 1, COUNT: 1_000_000, CASE: 0 };
/** The number of reviews for each story of a changed Service. */
const REVIEWS_PER_CHANGE = 500;
const USAGE = 2;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Returns a number from the environment, or its default. NaN for an invalid number. */
function setting(name: keyof typeof DEFAULTS): number {
  const text = process.env[name] ?? '';
  if (text === '') return DEFAULTS[name];
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}

/** Runs `make fuzz`: sends generated reviews to the webhook, and plays generated changes of Services against webhook and controller. */
async function main(): Promise<number> {
  const [seed, count, from] = [setting('SEED'), setting('COUNT'), setting('CASE')];
  if (![seed, count, from].every(Number.isSafeInteger)) {
    process.stderr.write('SEED, COUNT and CASE are whole numbers: make fuzz SEED=1 COUNT=1000000 CASE=0\n');
    return USAGE;
  }
  say(`SEED=${seed} COUNT=${count} CASE=${from}`);
  const report = await fuzz({ seed, count, from, onProgress: (done) => say(`  ${done} reviews`) });
  const changed = await changes({ seed, count: Math.ceil(count / REVIEWS_PER_CHANGE), from });
  const failures = [...report.failures, ...changed.failures];
  for (const failure of failures) say(failure);
  const decisions = Object.entries(report.decisions).map(([decision, times]) => `${times} ${decision}`);
  say(`${decisions.join(', ')}; ${report.overTheWire} also over TLS`);
  say(`${report.seconds.toFixed(0)} s, the slowest review ${report.slowestMs.toFixed(0)} ms`);
  say(`${changed.synced} changes synced, ${changed.denied} denied`);
  const [first] = failures;
  if (first !== undefined) say(`again with: make fuzz SEED=${seed} COUNT=1 CASE=${/\d+/.exec(first)?.[0] ?? ''}`);
  return first === undefined ? 0 : 1;
}

process.exitCode = await main();
