import { Command, Option } from 'commander';
import { listJson } from '../json.ts';
import { LANGUAGES, languageOf, type Language, type LanguageName } from '../language-texts.ts';
import { layoutOf } from '../terminal-layout.ts';
import { RULES } from '../rules.ts';
import { rulesPage } from '../rules-page.ts';
import { rulesText, type Layout } from '../text.ts';

type Format = 'text' | 'json' | 'markdown';

const WHOLE: Record<Format, (language: Language, layout: Layout) => string> = {
  text: rulesText,
  json: ({ translate }) => listJson(RULES.map((topic) => translate(topic))),
  markdown: (language) => rulesPage(language).trimEnd(),
};

interface Flags {
  readonly output: Format;
  readonly lang: LanguageName;
}

/** Creates `portcullis rules`, which prints a table of all rules. */
export function command(): Command {
  return new Command('rules')
    .description('list the rules; portcullis explain RULE shows one')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'),
    )
    .addOption(new Option('--lang <language>', 'language of the texts').choices(LANGUAGES).default('en'))
    .action(async ({ output, lang }: Flags, self: Command) => {
      self.configureOutput().writeOut?.(`${WHOLE[output](await languageOf(lang), layoutOf(self))}\n`);
    });
}
