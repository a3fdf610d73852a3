import assert from 'node:assert/strict';
import { deprecatedFormsOf } from '../../../../src/annotation/deprecated-key-index.ts';
import { CATALOGUE } from '../../../../src/annotation/catalogue.ts';
import type { DeprecatedKeys } from '../../../../webhook/mutate/mutate.ts';
import { WrittenService, type Texts, type Write } from '../../../support/annotation-writers.ts';

const NEW = CATALOGUE.aclStatus.key;
const [OLD = ''] = deprecatedFormsOf(NEW);
const FIRST: Texts = { [OLD]: 'on', other: 'x' };
const RENAMED: Texts = { [NEW]: 'on', other: 'x' };

/** Returns the write that changes `last` into `manifest`. */
const WRITERS: Readonly<Record<Write['by'], (manifest: Texts, last: Texts) => Write>> = {
  'client-side': (manifest) => ({ by: 'client-side', manifest }),
  'argo-client-side': (manifest) => ({ by: 'argo-client-side', manifest }),
  'server-side': (manifest) => ({ by: 'server-side', manifest }),
  'argo-server-side': (manifest) => ({ by: 'argo-server-side', manifest }),
  chart: (manifest, last) => ({ by: 'chart', manifest, last }),
  put: (manifest) => ({ by: 'put', manifest }),
  replace: (manifest) => ({ by: 'replace', manifest }),
  annotate: (set, last) => ({ by: 'annotate', set, unset: Object.keys(last) }),
  patch: (set, last) => ({ by: 'patch', set, unset: Object.keys(last) }),
  edit: (set, last) => ({ by: 'edit', set, unset: Object.keys(last) }),
};

/** A user who renames a deprecated key in the manifest must keep the value. */
describe('a writer that renames a deprecated key in its manifest', () => {
  for (const [by, write] of Object.entries(WRITERS)) {
    for (const handling of ['auto', 'keep', 'replace'] as const satisfies DeprecatedKeys[]) {
      it(`keeps the value under the current key: ${by}, --deprecated-keys=${handling}`, () => {
        const service = new WrittenService(handling);
        service.write(write(FIRST, {}));
        assert.equal(service.annotations[NEW], 'on');
        service.write(write(RENAMED, FIRST));
        assert.deepEqual(service.annotations, RENAMED);
      });
    }
  }
});
