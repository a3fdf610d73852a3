import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { bashScript } from '../../../src/completion/bash.ts';
import { fishScript } from '../../../src/completion/fish.ts';
import type { CommandSpec } from '../../../src/completion/spec.ts';
import { zshScript } from '../../../src/completion/zsh.ts';
import { RULES } from '../../../src/explain/rules.ts';
import { FLAGS_OF } from '../../support/program-commands.ts';
import { aTerminal } from '../../support/terminal.ts';

async function script(shell: string): Promise<string> {
  const terminal = aTerminal();
  assert.deepEqual([await terminal.run('completion', shell), terminal.err()], [0, '']);
  return terminal.out();
}

/** Users type commands with completion, so it must offer what the commands accept. */
describe('completion for bash', () => {
  /** Returns the completions of bash for these words, of which the last is incomplete. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    const end = `${line}; _portcullis; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euc', `${await script('bash')}\n${end}`], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [0, '']);
    return stdout.split('\n').filter((word) => word !== '');
  }

  const rows: Readonly<Record<string, readonly [words: readonly string[], offered: readonly string[]]>> = {
    'commands by prefix': [['portcullis', 'l'], ['lint']],
    'the options of a command': [['portcullis', 'lint', '--f'], ['--facts']],
    'the kinds that have a status': [['portcullis', 'status', 's'], ['service']],
    'the choices of an option': [
      ['portcullis', 'lint', '-o', ''],
      ['text', 'json', 'sarif', 'github', 'gitlab'],
    ],
    'the choices after =': [
      ['portcullis', 'lint', '--output', '='],
      ['text', 'json', 'sarif', 'github', 'gitlab'],
    ],
    'the choices by prefix after =': [['portcullis', 'lint', '--output', '=', 's'], ['sarif']],
    'the choices by prefix': [['portcullis', 'explain', '--output', 'm'], ['markdown']],
    'rules and annotations to explain': [['portcullis', 'explain', 'reuse-l'], ['reuse-listener']],
    'the shells': [
      ['portcullis', 'completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    'nothing for manifests, so that bash offers files': [['portcullis', 'lint', 'ma'], []],
    'a word instead of a file': [['portcullis', 'lint', '--against', 'cl'], ['cluster']],
    'nothing for a file, so that bash offers files': [['portcullis', 'lint', '--against', 'sto'], []],
    'nothing after an option with any value': [['portcullis', 'lint', '--context', ''], []],
    'the subcommands of a command': [
      ['portcullis', 'policy', ''],
      ['test', 'impact'],
    ],
    'the options of a subcommand': [['portcullis', 'policy', 'impact', '--s'], ['--services']],
    'the choices of options of a subcommand': [
      ['portcullis', 'policy', 'test', '-o', ''],
      ['text', 'json', 'junit'],
    ],
    'the kinds that have a picture': [['portcullis', 'graph', ''], ['service']],
    'the formats of a picture': [
      ['portcullis', 'graph', 'service', 'web', '-o', ''],
      ['mermaid', 'dot'],
    ],
    'the values of --color': [
      ['portcullis', 'plan', '--color', ''],
      ['auto', 'always', 'never'],
    ],
    'nothing for files of a subcommand, so that bash offers files': [['portcullis', 'policy', 'test', 'ma'], []],
    'nothing for an unknown command': [['portcullis', 'nonsense', '-'], []],
  };
  for (const [title, [words, expected]] of Object.entries(rows)) {
    it(`offers ${title}`, async () => assert.deepEqual(await offered(...words), expected));
  }
});

describe('completion', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    it(`for ${shell} contains every command, every flag in help, and every rule`, async () => {
      const text = await script(shell);
      for (const [command, flags] of FLAGS_OF) {
        assert.match(text, new RegExp(`\\b${command}\\b`));
        const help = aTerminal();
        await help.run(command, '--help');
        for (const flag of flags.filter((name) => help.out().includes(`${name} `))) {
          assert.ok(text.includes(shell === 'fish' ? `-l ${flag.slice(2)} ` : flag), `${command} ${flag}`);
        }
      }
      for (const { rule } of RULES) assert.ok(text.includes(rule.name), rule.name);
    });
  }

  it('offers files and the word that can replace them for an option in zsh and fish', async () => {
    const action = String.raw`:file:{_alternative "words\:word\:(cluster)" "files\:file\:_files"}'`;
    assert.ok((await script('zsh')).includes(action));
    assert.match(await script('fish'), / -l against -r -F -a 'cluster' -d /);
  });

  it('escapes the special characters of a summary for zsh and fish, and omits it for bash', () => {
    const summary = "it's [a] b:c \\d";
    const option = { names: ['-x', '--ex'], summary, takesValue: true, takesFile: false, words: [], choices: [] };
    const commands: readonly CommandSpec[] = [{ name: 'a', summary, options: [option], words: [], takesFiles: true }];
    assert.ok(zshScript(commands).includes(`'(-x --ex)'{-x+,--ex=}'[it'\\''s \\[a\\] b\\:c \\\\d]:value: '`));
    assert.ok(fishScript(commands).includes(`-s x -l ex -x -d 'it\\'s [a] b:c \\\\d'`));
    assert.ok(!bashScript(commands).includes(summary));
  });

  it('rejects an unknown shell, with the known shells in the error', async () => {
    const terminal = aTerminal();
    assert.equal(await terminal.run('completion', 'fihs'), 2);
    assert.match(terminal.err(), /Allowed choices are bash, zsh, fish\. \(did you mean fish\?\)\n$/);
  });
});

describe("completion for kubectl's plug-in", () => {
  /** Returns the output for these words, of which the last is incomplete. */
  async function printed(...words: readonly string[]): Promise<readonly string[]> {
    const terminal = aTerminal();
    assert.deepEqual([await terminal.run('__complete', ...words), terminal.err()], [0, '']);
    return terminal.out().trimEnd().split('\n');
  }

  for (const [title, words, expected] of [
    ['commands with their summaries', ['ru'], [/^rules\tlist the rules/, ':4']],
    ['nothing for an unknown command', ['nonsense', ''], [':4']],
    ['the choices of an option', ['status', '-o', 'j'], ['json', ':4']],
    ['the choices after a long option and =', ['status', '--output=j'], ['--output=json', ':4']],
    ['the kinds that have a status', ['status', ''], ['service', ':4']],
    ['rules to explain', ['explain', 'reuse-l'], ['reuse-listener', ':4']],
    ['the options of a subcommand of policy', ['policy', 'impact', '--serv'], [/^--services\t/, ':4']],
    ['files for manifests', ['lint', ''], [':0']],
    ['a word or a file', ['lint', '--against', ''], ['cluster', ':0']],
    ['nothing after the option of any value', ['lint', '--context', ''], [':4']],
  ] as const)
    it(`offers ${title}`, async () => {
      const lines = await printed(...words);
      assert.equal(lines.length, expected.length);
      for (const [index, line] of expected.entries())
        if (typeof line === 'string') assert.equal(lines[index], line);
        else assert.match(lines[index] ?? '', line);
    });
});
