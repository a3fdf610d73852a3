import { execFileSync } from 'node:child_process';

/** The last commit before the rule for subjects. This program (`make commits`) checks all later commits. */
const LAST_FREE = '8e6c289f4d3f315429ea1ed82f3820004c981713';
const LONGEST = 72;
const FORM = /^[a-z][a-z/-]*: [a-z]/;

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Returns the commits since the introduction of the rule. Returns none in a copy without history, such as an archive. */
function newCommits(): string {
  try {
    return git('log', '--no-merges', '--format=%h %s', `${LAST_FREE}..HEAD`);
  } catch {
    return '';
  }
}

const lines = newCommits()
  .split('\n')
  .filter((line) => line !== '');
const bad = lines.filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return subject.length > LONGEST || !FORM.test(subject);
});
for (const line of bad) process.stderr.write(`${line}\n`);
if (bad.length > 0) {
  process.stderr.write(`the subject of a commit is "area: imperative summary", at most ${LONGEST} characters\n`);
  process.exitCode = 1;
}
