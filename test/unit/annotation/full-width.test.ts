import assert from 'node:assert/strict';
import { CATALOGUE, ENTRIES, type OptionName } from '../../../src/annotation/catalogue.ts';
import { LONGEST_VALUE, readerOf } from '../../../src/annotation/value-readers.ts';

const read = (option: OptionName, text: string) => readerOf(CATALOGUE[option].value)(text);

/** Chinese input methods write full-width characters, which look like valid ones. Users need the replacement in the message. */
describe('a full-width character in a value', () => {
  for (const [option, { example }] of ENTRIES) {
    it(`of ${option} is reported with its replacement`, () => {
      const error = read(option, `${example}：１`).error;
      assert.match(error?.remedy ?? '', /^write ":" "1" in place of the full-width "：" "１"/);
      assert.notEqual(error?.detail, '');
    });
  }

  /** Values that these characters make invalid. */
  const rejected: Readonly<Record<string, readonly [option: OptionName, text: string, remedy: string]>> = {
    'a colon and a comma': ['protocolPort', 'tcp：80，udp:53', 'write ":" "," in place of the full-width "：" "，"'],
    'a digit': ['establishedTimeout', '１00', 'write "1" in place of the full-width "１"'],
    'a letter': ['scheduler', 'ｒｒ', 'write "r" in place of the full-width "ｒ"'],
    'a digit of a number out of range': ['bandwidth', '９９９９', 'write "9" in place of the full-width "９"'],
    'a colon in addition to another error': [
      'protocolPort',
      'tcp：80,8080',
      'write ":" in place of the full-width "："; add the protocol, as in http:8080',
    ],
    'a space': [
      'addressType',
      '\u3000intranet',
      'write " " in place of the full-width "\u3000"; remove the spaces around "intranet"',
    ],
    'a comma of Chinese text': ['backendLabel', 'a=b、c=d', 'write "," in place of the full-width "、"'],
    'a full stop of Chinese text': ['healthCheckDomain', 'a。com', 'write "." in place of the full-width "。"'],
    'more characters than a message contains': [
      'ip',
      '１２３４５６７',
      'write "1" "2" "3" "4" "5" in place of the full-width "１" "２" "３" "４" "５"',
    ],
  };
  for (const [title, [option, text, remedy]] of Object.entries(rejected)) {
    it(`is reported: ${title}`, () => {
      const result = read(option, text);
      assert.equal(result.ok, false);
      assert.equal(result.error.remedy, remedy);
    });
  }

  /** Values in which these characters are permitted. */
  const taken: Readonly<Record<string, readonly [option: OptionName, text: string, value: unknown, remedy: string]>> = {
    'in a name': [
      'name',
      '订单（一）',
      '订单（一）',
      'write "(" ")" in place of the full-width "（" "）", unless they are intended',
    ],
    'as a comma that joins two tags': [
      'additionalResourceTags',
      'team=shop，env=test',
      { team: 'shop，env' },
      'write "," in place of the full-width "，", unless they are intended',
    ],
    'as the equals sign of a tag': [
      'additionalResourceTags',
      'a＝b',
      { 'a＝b': '' },
      'write "=" in place of the full-width "＝", unless they are intended',
    ],
    'in a text of preserve-lb-on-delete, where any text means yes': [
      'preserveLbOnDelete',
      'ｎｏ',
      true,
      'write "n" "o" in place of the full-width "ｎ" "ｏ", unless they are intended; remove the annotation to turn the option off',
    ],
  };
  for (const [title, [option, text, value, remedy]] of Object.entries(taken)) {
    it(`is reported, and the value is read unchanged: ${title}`, () => {
      const { error, ...rest } = read(option, text);
      assert.deepEqual(rest, { ok: true, value });
      assert.equal(error?.remedy, remedy);
    });
  }

  it('is ignored in a value that is too long', () => {
    assert.equal(read('name', '：'.repeat(LONGEST_VALUE + 1)).error?.remedy, 'use at most 128 characters');
  });
});
