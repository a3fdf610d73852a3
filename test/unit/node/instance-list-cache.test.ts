import assert from 'node:assert/strict';
import { createInstances } from '../../../src/node/instance-calls.ts';
import type { Instance } from '../../../src/node/instance.ts';
import type { InstanceApi } from '../../../src/node/instance-api.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { anInstance } from '../../support/instance.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { signal } = new AbortController();

/** If a failed older list discarded a newer list, the controller would need another of the few lists that the rate limit allows. */
describe('the list of all instances', () => {
  it('stays valid if an older list fails later', async () => {
    const clock = new VirtualClock();
    const lists: PromiseWithResolvers<readonly Instance[]>[] = [];
    const listOfVpc: InstanceApi['listOfVpc'] = () => {
      const list = Promise.withResolvers<readonly Instance[]>();
      lists.push(list);
      return list.promise;
    };
    const instances = createInstances(
      { listOfVpc } as Partial<InstanceApi> as InstanceApi,
      { vpcId: 'vpc-1', regionId: 'cn-hangzhou' },
      clock,
    );
    const failing = assert.rejects(instances.all(signal), { reason: 'Unavailable' });
    await clock.advance(11_000);
    const succeeding = instances.all(signal);
    lists[1]?.resolve([anInstance('a')]);
    lists[0]?.reject(new PortcullisError('Unavailable', 'no response'));
    await failing;
    const again = instances.all(signal);
    assert.equal(lists.length, 2);
    assert.deepEqual(await again, await succeeding);
  });
});
