import assert from 'node:assert/strict';
import { PortcullisError } from '../../../../../src/base/errors.ts';
import { bindingStoreBench } from '../../../../support/binding-store-fixture.ts';
import { SYNCED, SYNCING } from '../../../../support/invariants/history-builders.ts';
import type { Write } from '../../../../support/kubernetes-double.ts';

/** After a failed write of a binding, the store must not return a record that the API server does not have. */
describe('a failed write of a binding', () => {
  const failing = (fail: (write: Write, when: 'before' | 'after') => PortcullisError | undefined) => {
    const fault = { isOn: true };
    const subject = bindingStoreBench(async (write, when) => {
      const failure = fault.isOn ? fail(write, when) : undefined;
      if (failure !== undefined) throw failure;
    });
    return { ...subject, mend: () => (fault.isOn = false) };
  };

  it('reports a missing CRD in a single message', async () => {
    const { write } = failing(({ verb }) =>
      verb === 'create'
        ? new PortcullisError('NotFound', 'the server could not find the requested resource')
        : undefined,
    );
    await assert.rejects(write(SYNCING), {
      reason: 'Unavailable',
      message:
        'the CustomResourceDefinition loadbalancerbindings.portcullis.io is not installed; install the definition from manifests/crds',
    });
  });

  it('is followed by a read if its outcome is unknown, and is not repeated', async () => {
    const { cluster, write, record, mend } = failing((_, when) =>
      when === 'after' ? new PortcullisError('OutcomeUnknown', 'no answer') : undefined,
    );
    cluster.pause();
    await assert.rejects(write(SYNCING), { reason: 'OutcomeUnknown' });
    assert.deepEqual(record(), SYNCING);
    mend();
    await write(SYNCED);
    assert.deepEqual(
      cluster.writes.map(({ verb }) => verb),
      ['create', 'patch'],
    );
  });

  it('is repeated if the API server never received it', async () => {
    const { store, write, record, mend } = failing((_, when) =>
      when === 'before' ? new PortcullisError('OutcomeUnknown', 'no answer') : undefined,
    );
    await assert.rejects(write(SYNCING), { reason: 'OutcomeUnknown' });
    assert.deepEqual(record(), {});
    assert.deepEqual([...store.keys()], []);
    mend();
    await write(SYNCING);
    assert.deepEqual(record(), SYNCING);
  });

  it('drops the record of a deleted binding whose creation is not in the cache yet', async () => {
    const { cluster, store, records, write, drop } = bindingStoreBench();
    cluster.pause();
    await write(SYNCING);
    drop();
    await assert.rejects(write(SYNCED), { reason: 'NotFound' });
    cluster.release();
    assert.deepEqual(records, [{}, {}]);
    assert.deepEqual([...store.keys()], []);
  });

  for (const reason of ['Forbidden', 'Unavailable'] as const)
    it(`changes no known record if the write is ${reason}`, async () => {
      const { write, record } = failing(({ verb }) =>
        verb === 'patch' ? new PortcullisError(reason, 'refused') : undefined,
      );
      await write(SYNCING);
      await assert.rejects(write(SYNCED), { reason });
      assert.deepEqual(record(), SYNCING);
    });
});
