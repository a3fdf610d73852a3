/** The results that the ending of the demo reports. */
export interface DemoEnding {
  /** The number of successful checks. */
  readonly checks: number;
  readonly hasFailed: boolean;
  readonly sandbox: string;
  /** True if the sandbox ran before the demo, and therefore still runs. */
  readonly isKept: boolean;
  /** The path of the folder with logs. */
  readonly logs: string;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Commands and a page to try next, each with its effect. */
const NEXT = [
  ['make up', 'starts a sandbox that keeps running'],
  ['portcullis explain bandwidth', 'describes an annotation or a rule'],
  ['portcullis lint FOLDER', 'checks your own manifests with the rules'],
  ['docs/getting-started.md', 'leads to a denied and an accepted Service'],
] as const;

/** Returns the last lines that the demo prints: the number of checks, the state of the sandbox, and commands to try next. */
export function endingText({ checks, hasFailed, sandbox, isKept, logs }: DemoEnding): string {
  const checked = `${counted(checks, 'check')} held${hasFailed ? ', 1 failed' : ''}.`;
  const state = isKept
    ? `Sandbox ${sandbox} ran before the demo, and still runs.`
    : `Sandbox ${sandbox} is gone, with its processes, its cluster and its cloud.`;
  const lines = [checked, state, `The logs of every process are in ${logs}.`];
  if (hasFailed) return lines.join('\n');
  const width = Math.max(...NEXT.map(([command]) => command.length));
  const next = NEXT.map(([command, effect]) => `  ${command.padEnd(width)}  ${effect}`);
  return [...lines, '', 'Try next:', ...next].join('\n');
}
