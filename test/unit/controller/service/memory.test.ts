import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ServiceMemory } from '../../../../src/controller/service/memory.ts';
import { keyOf, type Service } from '../../../../src/objects.ts';
import { aService } from '../../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const DIRTY = 'portcullis.io/dirty';
const KEY = keyOf(aService());
const at = (resourceVersion: string): Service => {
  const service = aService();
  return { ...service, metadata: { ...service.metadata, resourceVersion } };
};

describe('the memory of Services', () => {
  const setUp = () => {
    const memory = new ServiceMemory(() => 0.5);
    return { memory, entry: memory.entry(KEY, at('1'), 1_000) };
  };

  it('knows after a turn what it knew in it', () => {
    const { memory, entry } = setUp();
    entry.addresses.set('10.0.0.1', { pod: 'a', foundAtMs: 5 });
    entry.unsettled.set('own listener 80/tcp', Infinity);
    entry.latest = at('7');
    const before = structuredClone(entry);
    memory.rest(KEY);
    const after = memory.entry(KEY, at('1'), 2_000);
    assert.deepEqual(after, before);
    assert.equal(after.unsettled.get('own listener 80/tcp'), Infinity);
  });

  it('holds one entry for a whole turn, however often it is asked for', () => {
    const { memory } = setUp();
    memory.rest(KEY);
    memory.latest(KEY, at('1'));
    const entry = memory.entry(KEY, at('1'), 2_000);
    assert.equal(memory.entry(KEY, at('1'), 3_000), entry);
    assert.notEqual(entry, setUp().entry);
  });

  it('answers the later of what the cache holds and what our own last write has left, at rest too', () => {
    const { memory, entry } = setUp();
    entry.latest = at('10');
    memory.rest(KEY);
    const versions = ['9', '10', '11'].map((version) => memory.latest(KEY, at(version)).metadata.resourceVersion);
    assert.deepEqual(versions, ['10', '10', '11']);
  });

  it('keeps of a large answer what the controller writes, and answers the Service of the cache with it', () => {
    const { memory, entry } = setUp();
    const labels = { app: 'web', 'portcullis.io/digest': 'd' };
    const metadata = { ...at('7').metadata, labels, finalizers: ['x', FINALIZER] };
    const large = Array.from({ length: 3_000 }, () => randomUUID());
    entry.latest = { ...at('7'), metadata: { ...metadata, annotations: { large: large.join(',') } } };
    memory.rest(KEY);
    const ports = [{ port: 443 }];
    const cached = {
      ...at('6'),
      metadata: { ...at('6').metadata, labels: { app: 'new', [DIRTY]: 'true' } },
      spec: { ports },
    };
    assert.deepEqual(memory.latest(KEY, cached), {
      ...cached,
      metadata: {
        ...at('7').metadata,
        labels: { app: 'new', 'portcullis.io/digest': 'd' },
        finalizers: [FINALIZER],
      },
      status: {},
    });
  });

  it('knows nothing of another Service of the same name, nor of one that it was told to forget', () => {
    const { memory } = setUp();
    memory.rest(KEY);
    const other = { ...at('1'), metadata: { ...at('1').metadata, uid: 'other' } };
    assert.equal(memory.entry(KEY, other, 2_000).firstSeenMs, 2_000);
    memory.rest(KEY);
    memory.forget(KEY);
    memory.rest(KEY);
    assert.equal(memory.entry(KEY, other, 3_000).firstSeenMs, 3_000);
  });
});
