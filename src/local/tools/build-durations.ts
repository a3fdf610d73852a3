import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOOL_NAMES, toolOf, type ToolName } from './catalogue.ts';

/** The seconds that earlier builds on this machine took for each program. The progress of a build is a percentage of these seconds. */
export type Durations = Partial<Readonly<Record<ToolName, number>>>;

const FILE = 'durations.json';

/** Reads the durations from the cache folder. Returns no durations if the file is missing or damaged. */
export async function readDurations(cache: string): Promise<Durations> {
  try {
    const read = JSON.parse(await readFile(join(cache, FILE), 'utf8')) as Record<string, unknown>;
    const entries = TOOL_NAMES.map((name) => [name, read[name]] as const);
    return Object.fromEntries(entries.filter(([, seconds]) => typeof seconds === 'number' && seconds > 0));
  } catch {
    return {};
  }
}

/** Returns the seconds of a build on two idle cores, from the catalogue. */
function estimate(name: ToolName): number {
  const tool = toolOf(name);
  return tool.kind === 'program' ? tool.seconds : 0;
}

const sum = (names: readonly ToolName[], seconds: (name: ToolName) => number): number =>
  names.reduce((total, name) => total + seconds(name), 0);

/** Returns the seconds that a build of these programs probably takes. */
export function expectedSeconds(names: readonly ToolName[], durations: Durations): number {
  const recorded = TOOL_NAMES.filter((name) => durations[name] !== undefined);
  // The ratio adapts the estimates to the speed of this machine.
  const ratio = recorded.length === 0 ? 1 : sum(recorded, (name) => durations[name] ?? 0) / sum(recorded, estimate);
  return sum(names, (name) => durations[name] ?? estimate(name) * ratio);
}

/** Returns the durations after a build of `names`, which took `seconds`. */
export function recorded(durations: Durations, names: readonly ToolName[], seconds: number): Durations {
  // The programs share the seconds in proportion to their estimates.
  const ratio = seconds / sum(names, estimate);
  const own = names.map((name) => {
    const [before, now] = [durations[name], estimate(name) * ratio];
    return [name, Number((before === undefined ? now : (before + now) / 2).toFixed(1))] as const;
  });
  return { ...durations, ...Object.fromEntries(own) };
}

/** Writes the durations to the cache folder atomically, because another process may read the file. */
export async function writeDurations(cache: string, durations: Durations): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = join(cache, `.${FILE}.${process.pid}`);
  await writeFile(unfinished, `${JSON.stringify(durations, null, 2)}\n`);
  await rename(unfinished, join(cache, FILE));
}
