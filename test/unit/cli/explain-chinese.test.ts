import assert from 'node:assert/strict';
import type { OptionDefinition } from '../../../src/annotation/option-definition.ts';
import { FAMILIES } from '../../../src/annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../src/annotation/well-known-names.ts';
import { annotationsPage } from '../../../src/explain/annotations-page.ts';
import { ANNOTATIONS as TEXTS } from '../../../src/explain/chinese/annotations.ts';
import { CHINESE } from '../../../src/explain/chinese/chinese.ts';
import { RULES as RULE_TEXTS } from '../../../src/explain/chinese/rules.ts';
import { ANNOTATIONS, type Topic } from '../../../src/explain/lookup.ts';
import { RULES } from '../../../src/explain/rules.ts';
import { rulesPage } from '../../../src/explain/rules-page.ts';
import { widthOf, wrap } from '../../../src/explain/wrap.ts';
import { aTerminal } from '../../support/terminal.ts';

async function printed(...args: readonly string[]): Promise<string> {
  const terminal = aTerminal({ columns: 90 });
  assert.deepEqual([await terminal.run(...args), terminal.err()], [0, '']);
  return terminal.out();
}

/** Returns the names of the texts that an entry of the catalogue has. */
function textsOf({ value, mutability, absent, since }: OptionDefinition): readonly string[] {
  return [
    'doc',
    ...(value.kind === 'text' || (value.kind === 'list' && value.description !== '') ? ['value'] : []),
    ...(value.kind === 'integer' && value.alsoMeans !== undefined ? ['alsoMeans'] : []),
    ...(absent === undefined ? [] : ['absent']),
    ...('reason' in mutability ? ['reason'] : []),
    ...(/ [a-z]+ /.test(since) ? ['since'] : []),
  ].sort();
}

/** Returns the sentences of a topic as one text. */
function proseOf(topic: Topic): string {
  if (topic.kind === 'rule') return [topic.rule.doc, topic.rule.examples.cloud?.description ?? ''].join('\n');
  if (topic.kind === 'mark') return [topic.mark.doc, topic.mark.value].join('\n');
  const { doc, absent = '', value, mutability } = topic.entry;
  const described = value.kind === 'text' || value.kind === 'list' ? value.description : '';
  return [doc, absent, described, 'reason' in mutability ? mutability.reason : ''].join('\n');
}

/** Returns the names in backquotes and the numbers of a text. */
const factsIn = (text: string): readonly string[] => [...new Set(text.match(/`[^`]+`|\d+(?:[.-]\d+)*/g) ?? [])].sort();

const TOPICS: readonly Topic[] = [
  ...ANNOTATIONS,
  ...RULES,
  ...Object.values(WELL_KNOWN).map((mark) => ({ kind: 'mark', mark }) as const),
];
const nameOf = (topic: Topic): string =>
  topic.kind === 'annotation' ? topic.entry.suffix : topic.kind === 'rule' ? topic.rule.name : topic.mark.name;

/** The Chinese texts repeat facts of the catalogue, so a different number or name would mislead users. */
describe('the Chinese texts', () => {
  for (const { option, entry } of ANNOTATIONS)
    it(`translate each English text of the annotation ${entry.suffix}`, () =>
      assert.deepEqual(Object.keys(TEXTS[option]).sort(), textsOf(entry)));

  it('describe every rule', () =>
    assert.deepEqual(Object.keys(RULE_TEXTS).sort(), RULES.map(({ rule }) => rule.name).sort()));

  for (const { rule } of RULES)
    it(`describe the state of the cloud in the examples of ${rule.name}, if the English texts do`, () =>
      assert.equal(RULE_TEXTS[rule.name]?.cloud === undefined, rule.examples.cloud === undefined));

  it('have a heading for every family of annotations', () =>
    assert.deepEqual(
      Object.keys(CHINESE.annotationsPage.families),
      FAMILIES.map(({ title }) => title),
    ));

  for (const topic of TOPICS)
    it(`repeat the numbers and names of the English texts of ${nameOf(topic)}`, () =>
      assert.deepEqual(factsIn(proseOf(CHINESE.translate(topic))), factsIn(proseOf(topic))));

  for (const topic of TOPICS)
    it(`have Chinese punctuation in the texts of ${nameOf(topic)}`, () =>
      assert.doesNotMatch(proseOf(CHINESE.translate(topic)), /\p{Script=Han}[,.;:!?()]/u));
});

describe('explain --lang zh', () => {
  it('prints an annotation with Chinese texts and untranslated keys and values', async () => {
    const text = await printed('explain', '--lang', 'zh', 'bandwidth');
    assert.match(text, /^service\.beta\.kubernetes\.io\/alibaba-cloud-loadbalancer-bandwidth\n\n {2}公网带宽峰值/);
    assert.match(text, /^ {2}取值 +1 到 5120 的整数（Mbit\/s）$/m);
    assert.match(text, /^ {2}依赖 +charge-type 为 paybybandwidth（否则不生效）$/m);
  });

  it('prints a rule with a wrong and a right example', async () =>
    assert.match(await printed('explain', '--lang', 'zh', 'reuse-listener'), /^错误示例（lb-1 [^]+^正确示例$/m));

  it('lists all topics', async () =>
    assert.match(
      await printed('explain', '--lang', 'zh'),
      /^负载均衡实例\n {2}id +复用已有的负载均衡实例，而不是新建。$/m,
    ));

  it('prints the pages in Markdown', async () => {
    assert.equal(await printed('explain', '--lang', 'zh', '-o', 'markdown'), annotationsPage(CHINESE));
    assert.equal(await printed('rules', '--lang', 'zh', '-o', 'markdown'), rulesPage(CHINESE));
  });

  it('prints JSON with Chinese texts', async () => {
    const { family, doc } = JSON.parse(await printed('explain', '--lang', 'zh', '-o', 'json', 'cookie')) as {
      readonly family: string;
      readonly doc: string;
    };
    assert.deepEqual([family, doc], ['HTTP 和 HTTPS 监听', '后端的 Cookie 名称。']);
  });

  it('keeps within the width of the terminal', async () => {
    for (const line of (await printed('rules', '--lang', 'zh')).split('\n')) assert.ok(widthOf(line) <= 90, line);
  });

  it('rejects an unknown language', async () => {
    const terminal = aTerminal();
    assert.equal(await terminal.run('explain', '--lang', 'fr', 'bandwidth'), 2);
    assert.match(terminal.err(), /Allowed choices are en, zh/);
  });
});

describe('lines of text', () => {
  for (const [what, text, width, lines] of [
    ['end at a space in English', 'one two three', 7, ['one two', 'three']],
    ['end between Chinese characters', '负载均衡实例', 8, ['负载均衡', '实例']],
    ['keep punctuation with the character before it', '负载均衡。实例', 8, ['负载均', '衡。实例']],
    ['keep an opening bracket with the character after it', '负载均（衡）', 8, ['负载均', '（衡）']],
    ['keep the space between English and Chinese', '由 kubectl 写入', 20, ['由 kubectl 写入']],
  ] as const)
    it(what, () => assert.deepEqual(wrap(text, width), lines));
});
