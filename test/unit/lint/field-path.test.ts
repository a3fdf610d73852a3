import assert from 'node:assert/strict';
import { pathOf, stepsOf, type PathStep } from '../../../src/lint/field-path.ts';

const paths: Readonly<Record<string, readonly PathStep[]>> = {
  '': [],
  spec: ['spec'],
  'spec.ports[1].targetPort': ['spec', 'ports', 1, 'targetPort'],
  'metadata.annotations[example.com/a.b]': ['metadata', 'annotations', 'example.com/a.b'],
  'metadata.annotations[]': ['metadata', 'annotations', ''],
  'metadata.annotations[a]b]': ['metadata', 'annotations', 'a]b'],
  'metadata.labels[team]': ['metadata', 'labels', 'team'],
};

/** Lint finds the line of a violation by its field path. */
describe('a field path', () => {
  for (const [path, steps] of Object.entries(paths)) {
    it(`${JSON.stringify(path)} is parsed step by step, and written again`, () => {
      assert.deepEqual(stepsOf(path), steps);
      assert.equal(pathOf(steps), path);
    });
  }

  it('with invalid syntax has at most as many steps as characters', () => {
    for (const path of ['[', '].', '..', 'a..b', 'a[b', '[[[', 'metadata.finalizers[x/y]']) {
      assert.ok(stepsOf(path).length <= path.length, path);
    }
  });
});
