import assert from 'node:assert/strict';
import { plain } from '../../../src/annotation/parsed-values.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { annotated } from '../../support/running-controller.ts';

/** Rules read a part of the options. A wrong copy would show a rule other annotations. */
describe('the parsed options', () => {
  it('can be copied with a selection of options, and no other options', () => {
    const { options } = parseAnnotations(annotated({ id: 'lb-a', hostname: 'web.example' }));
    assert.deepEqual({ ...plain(options) }, { id: 'lb-a', hostname: 'web.example' });
    assert.deepEqual({ ...plain(options, ['id']) }, { hostname: 'web.example' });
  });
});
