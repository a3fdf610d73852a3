import { Command, Option } from 'commander';
import { listJson } from '../json.ts';
import { layoutOf } from '../layout.ts';
import { RULES } from '../rules.ts';
import { rulesPage } from '../rules-page.ts';
import { rulesText, type Layout } from '../text.ts';

type Format = 'text' | 'json' | 'markdown';

const WHOLE: Record<Format, (layout: Layout) => string> = {
  text: rulesText,
  json: () => listJson(RULES),
  markdown: () => rulesPage().trimEnd(),
};

/** Creates `portcullis rules`. */
export function command(): Command {
  return new Command('rules')
    .description('list the rules; portcullis explain RULE shows one')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'),
    )
    .action((flags: { readonly output: Format }, self: Command) => {
      self.configureOutput().writeOut?.(`${WHOLE[flags.output](layoutOf(self))}\n`);
    });
}
