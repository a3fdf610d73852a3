import assert from 'node:assert/strict';
import { annotationValue } from '../../../../webhook/rules/annotation-value.ts';
import { faultsOf, on } from '../../../support/found.ts';

on(annotationValue, {
  'a value out of range': { keys: { 'established-timeout': '5' }, finds: ['established-timeout=5'] },
  'a type other than nlb, which has no effect': { keys: { type: 'clb' }, finds: ['type=clb?'] },
  'a value out of range on listeners that there are none of': {
    keys: { 'request-timeout': '999' },
    finds: ['request-timeout=999?'],
  },
  'a value out of range on listeners that are not managed': {
    keys: { id: 'lb-1', 'established-timeout': '5' },
    finds: ['established-timeout=5?'],
  },
});

describe('a value with full-width characters', () => {
  const VALUES: Readonly<Record<string, readonly [value: string, fix: RegExp]>> = {
    'protocol-port': ['tcp：80，udp:53', /^write ":" "," in place of the full-width "：" "，"$/],
    'established-timeout': ['１00', /^write "1" in place of the full-width "１"$/],
    scheduler: ['ｒｒ', /^write "r" in place of the full-width "ｒ"$/],
  };
  for (const [suffix, [value, fix]] of Object.entries(VALUES)) {
    it(`gets a hint that names them: ${suffix}`, () => {
      const [fault] = faultsOf(annotationValue, { keys: { [suffix]: value }, ports: [80, 443] });
      assert.match(fault?.fix ?? '', fix);
    });
  }
});

describe('of a value that is wrong where it has no effect', () => {
  it('it is said that it has none, and not only what the value might be', () => {
    const [fault] = faultsOf(annotationValue, { keys: { 'request-timeout': '999' } });
    assert.equal(
      fault?.allowed,
      'nothing, because it has no effect on this Service (elsewhere: a whole number from 1 to 180 (seconds))',
    );
    assert.equal(fault.fix, 'remove it');
  });
});
