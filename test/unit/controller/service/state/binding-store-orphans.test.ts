import assert from 'node:assert/strict';
import { keyOf, objectKey } from '../../../../../src/base/kubernetes-objects.ts';
import { bindingStoreBench } from '../../../../support/binding-store-fixture.ts';
import { SYNCED } from '../../../../support/invariants/history-builders.ts';
import { aService } from '../../../../support/service.ts';

const { signal } = new AbortController();
const service = aService();
const KEY = objectKey(service.metadata.uid);
const PATH = keyOf(service);
const OWNED = { loadBalancer: { id: 'lb-1', use: 'owned' } } as const;

/** A marked binding must never lead to a cleanup, because another Service may use its resources. */
describe('the binding store', () => {
  it('marks a binding as an orphan, and cleans up nothing for it', async () => {
    const { write, store, stored } = bindingStoreBench();
    await write({ ...OWNED, ...SYNCED });
    await store.orphan(stored() ?? assert.fail(), signal);
    assert.deepEqual(stored()?.spec, { ...stored()?.spec, ...OWNED, ...SYNCED, orphaned: true });
    assert.deepEqual([store.get(KEY), store.ofPredecessors(PATH, undefined)], [stored(), []]);
  });

  it('removes the orphan mark if the Service exists, and does not write an unmarked binding', async () => {
    const { write, record, patch, store, stored } = bindingStoreBench();
    await write(SYNCED);
    patch({ orphaned: true });
    await store.claim(service, signal);
    assert.deepEqual([record(), stored()?.spec.orphaned], [SYNCED, undefined]);
    const { resourceVersion } = stored()?.metadata ?? assert.fail();
    await store.claim(service, signal);
    assert.equal(stored()?.metadata.resourceVersion, resourceVersion);
  });
});
