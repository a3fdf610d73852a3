import assert from 'node:assert/strict';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { cachedAnnotations } from '../../../src/annotation/cached-annotation-truncation.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { LONGEST_VALUE } from '../../../src/annotation/value-readers.ts';
import { annotation } from '../../support/running-controller.ts';

const sizeOf = (annotations: Readonly<Record<string, string>>): number =>
  Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

/** Tenants can write large annotations. The caches keep only a part, with which the rules must find the same violations. */
describe('the annotations that caches keep', () => {
  it('are those that a rule reads, including misspelled keys', () => {
    const read = {
      ...Object.fromEntries(
        ENTRIES.flatMap(([, { key, deprecated, example }]) => [key, ...deprecated].map((each) => [each, example])),
      ),
      [annotation('nmae')]: 'a typo',
      'service.beta.kubernetes.io/aliyun-loadbalancer-id': 'a typo',
      'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8',
    };
    const others = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'example.com/notes': 'x' };
    assert.deepEqual(cachedAnnotations({ ...others, ...read }), read);
  });

  for (const [option, { key, value }] of ENTRIES) {
    it(`have the same violations if a value of ${option} is truncated`, () => {
      for (const text of ['x'.repeat(255_000), '1'.repeat(255_000), 'a,'.repeat(125_000), ' '.repeat(255_000)]) {
        const kept = cachedAnnotations({ [key]: text });
        const [whole, cut] = [parseAnnotations({ [key]: text }), parseAnnotations(kept)];
        assert.ok((kept[key]?.length ?? 0) <= LONGEST_VALUE + 1);
        assert.deepEqual(cut.options, whole.options);
        assert.equal(cut.issues.length, whole.issues.length);
        if (value.kind !== 'present') assert.deepEqual([cut.options[option], cut.issues.length], [undefined, 1]);
      }
    });
  }

  it('contain all of the longest list of tags that the cloud accepts', () => {
    const tags = Array.from({ length: 20 }, (_, at) => `${String(at).padEnd(128, 'k')}=${'v'.repeat(128)}`).join(',');
    const key = annotation('additional-resource-tags');
    assert.equal(cachedAnnotations({ [key]: tags })[key], tags);
  });

  it('need little memory for any Service', () => {
    const known = ENTRIES.flatMap(([, { key, deprecated }]) => [key, ...deprecated]);
    const everyKey = Object.fromEntries(known.map((key) => [key, 'x'.repeat(4_000)]));
    const kept = Object.values(cachedAnnotations(everyKey));
    const names = new Set(kept);
    assert.ok([...names].reduce((sum, { length }) => sum + length, 0) < 64_000);
    const unknown = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [annotation(`no-${at}`), 'y']));
    assert.ok(sizeOf(cachedAnnotations(unknown)) < 4_000);
  });

  it('keep short values if long values exceed the limit', () => {
    const claim = { [annotation('type')]: 'nlb' };
    const long = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [annotation(`a-${at}`), 'x'.repeat(4_000)]));
    assert.equal(cachedAnnotations({ ...long, ...claim })[annotation('type')], 'nlb');
  });
});

/** A shortened valid value would become invalid. */
describe('the longest cached value', () => {
  for (const [option, { value }] of ENTRIES) {
    if (value.kind === 'text')
      it(`exceeds the longest text of ${option}`, () => assert.ok(2 * value.max <= LONGEST_VALUE));
  }
});
