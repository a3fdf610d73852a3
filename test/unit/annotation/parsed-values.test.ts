import assert from 'node:assert/strict';
import { plain } from '../../../src/annotation/parsed-values.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { annotated } from '../../support/running-controller.ts';

/** The controller copies the options without the address options that a policy blocks. The copy must lose no other option. */
describe('the parsed options', () => {
  it('can be copied completely, or without the named options', () => {
    const { options } = parseAnnotations(annotated({ id: 'lb-a', hostname: 'web.example' }));
    assert.deepEqual({ ...plain(options) }, { id: 'lb-a', hostname: 'web.example' });
    assert.deepEqual({ ...plain(options, ['id']) }, { hostname: 'web.example' });
  });
});
