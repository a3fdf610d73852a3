import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { MARKS } from '../annotation/marks.ts';
import { referencePage, sectionOf } from '../annotation/reference.ts';
import { ANNOTATIONS, find, suggest, type Topic } from './lookup.ts';
import { topicsJson } from './json.ts';
import { listText, topicText, type Layout } from './text.ts';

const USAGE = 2;
const WIDEST = 100;

type Format = 'text' | 'json' | 'markdown';

/** Only as wide as reads well, and bold on a terminal alone. */
function layoutOf(self: Command): Layout {
  const output = self.configureOutput();
  const width = Math.min(output.getOutHelpWidth?.() ?? WIDEST, WIDEST);
  const bold = (text: string): string => styleText('bold', text, { validateStream: false });
  return { width, bold: output.getOutHasColors?.() === true ? bold : (text) => text };
}

const everything = (): readonly Topic[] => [
  ...ANNOTATIONS,
  ...Object.values(MARKS).map((mark) => ({ kind: 'mark', mark }) as const),
];

const WHOLE: Record<Format, (layout: Layout) => string> = {
  text: listText,
  json: () => topicsJson(everything()),
  markdown: () => referencePage().trimEnd(),
};

const CHOSEN: Record<Format, (topics: readonly Topic[], layout: Layout) => string> = {
  text: (topics, layout) => topics.map((topic) => topicText(topic, layout)).join('\n\n'),
  json: topicsJson,
  markdown: (topics, layout) =>
    topics
      .map((topic) => (topic.kind === 'annotation' ? sectionOf(topic.entry) : topicText(topic, layout)))
      .join('\n\n'),
};

function explain(key: string | undefined, format: Format, self: Command): string {
  if (key === undefined) return WHOLE[format](layoutOf(self));
  const topics = find(key);
  if (topics.length > 0) return CHOSEN[format](topics, layoutOf(self));
  const near = suggest(key);
  const hint = near === undefined ? 'portcullis explain lists all' : `did you mean ${near}?`;
  return self.error(`error: nothing here is called ${JSON.stringify(key)}: ${hint}`, { exitCode: USAGE });
}

/** `portcullis explain`. */
export function command(): Command {
  return new Command('explain')
    .description('explain an annotation, label, taint, tag or finalizer; without KEY, list them all')
    .argument('[KEY]', 'a current or deprecated key, or a short name such as bandwidth')
    .addOption(
      new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', 'markdown']).default('text'),
    )
    .action((key: string | undefined, flags: { readonly output: Format }, self: Command) => {
      self.configureOutput().writeOut?.(`${explain(key, flags.output, self)}\n`);
    });
}
