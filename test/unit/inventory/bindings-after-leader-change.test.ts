import assert from 'node:assert/strict';
import { Leadership } from '../../../src/inventory/bindings-after-leader-change.ts';
import { INVENTORY_KEY } from '../../../src/inventory/facts-from-caches.ts';
import type { CloudInventory } from '../../../src/inventory/custom-resources.ts';
import { objectKey } from '../../../src/base/kubernetes-objects.ts';
import { aBinding } from '../../support/invariants/history-builders.ts';
import { aCloudInventory } from '../../support/inventory.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const BINDING = aBinding();
const UID = BINDING.metadata.name;
const recorded = (leaseTransitions: number): CloudInventory => aCloudInventory({ leaseTransitions });

/** Creates the state of a term as leader in a cluster with one binding. */
const lead = (leaseTransitions: number | undefined, inventory?: CloudInventory) => {
  const bindings = watchedDouble([BINDING]);
  const cloudInventories = watchedDouble(inventory === undefined ? [] : [inventory]);
  return { bindings, leadership: new Leadership({ leaseTransitions, cloudInventories, bindings }) };
};

/** After the term of another controller as leader, bindings may be outdated, so each of their Services must be read once. */
describe('a leader', () => {
  const NO_STATUS = { metadata: aCloudInventory().metadata };
  const ROWS: Readonly<
    Record<string, readonly [own: number | undefined, inventory: CloudInventory | undefined, boolean]>
  > = {
    'finds its bindings outdated after another controller led': [7, recorded(5), true],
    'finds its bindings outdated if the Lease was created again': [0, recorded(5), true],
    'trusts its bindings if this controller led last': [6, recorded(5), false],
    'trusts its bindings if it is the recorded leader': [5, recorded(5), false],
    'compares nothing without an inventory': [7, undefined, false],
    'compares nothing if the inventory has no status': [7, NO_STATUS, false],
    'compares nothing if no leader is recorded': [7, aCloudInventory(), false],
    'compares nothing if the process has no number of Lease transitions': [undefined, recorded(5), false],
  };
  for (const [title, [own, inventory, isOutdated]] of Object.entries(ROWS))
    it(title, () => {
      const { leadership } = lead(own, inventory);
      assert.equal(leadership.isOutdated(UID), isOutdated);
      const isRecorded = own !== undefined && !isOutdated;
      assert.deepEqual(leadership.toRecord(), isRecorded ? { leaseTransitions: own } : {});
    });

  it('is recorded after every Service with an outdated binding is read', () => {
    const { leadership } = lead(7, recorded(5));
    leadership.confirm(UID);
    assert.deepEqual([leadership.isOutdated(UID), leadership.toRecord()], [false, { leaseTransitions: 7 }]);
  });

  it('is recorded when an outdated binding no longer exists', () => {
    const { leadership, bindings } = lead(7, recorded(5));
    bindings.remove(objectKey(UID));
    assert.deepEqual(leadership.toRecord(), { leaseTransitions: 7 });
  });

  it('keeps its comparison if the inventory changes later', () => {
    const cloudInventories = watchedDouble([recorded(5)]);
    const leadership = new Leadership({ leaseTransitions: 7, cloudInventories, bindings: watchedDouble([BINDING]) });
    cloudInventories.remove(INVENTORY_KEY);
    assert.equal(leadership.isOutdated(UID), true);
  });
});
