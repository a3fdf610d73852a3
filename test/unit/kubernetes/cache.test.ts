import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Cache } from '../../../src/kubernetes/cache.ts';
import { objectKey, type KubernetesObject } from '../../../src/base/kubernetes-objects.ts';
import { packJson, unpackJson, type Packing } from '../../../src/base/object-packing.ts';
import type { Indexes } from '../../../src/base/cache-interfaces.ts';

const thing = (name: string, version: string, color = 'red', uid = name): KubernetesObject => ({
  metadata: { name, uid, resourceVersion: version, labels: { color } },
});

const AS_JSON: Packing<KubernetesObject> = { pack: packJson, unpack: unpackJson };

/** The processes read objects only from caches, and react to the changes that caches report. */
for (const packing of [undefined, AS_JSON])
  describe(packing === undefined ? 'a cache' : 'a packed cache', () => {
    const setUp = () => {
      const indexes: Indexes<KubernetesObject> = {
        color: ({ metadata }) => (metadata.labels?.['color'] ?? '').split(',').filter((color) => color !== ''),
      };
      const cache = new Cache<KubernetesObject>(pino({ level: 'silent' }), indexes, { packing });
      const names = (color: string): string[] => cache.byIndex('color', color).map(({ metadata }) => metadata.name);
      return { cache, names };
    };

    it('reports its first complete list once, also if a handler fails', () => {
      const { cache } = setUp();
      let lists = 0;
      cache.onSynced(() => {
        throw new Error('failed');
      });
      cache.onSynced(() => (lists += 1));
      assert.deepEqual([cache.hasSynced(), lists], [false, 0]);
      cache.markSynced();
      cache.markSynced();
      assert.deepEqual([cache.hasSynced(), lists], [true, 1]);
    });

    it('reports its first list again after the kind was not served, and keeps no objects', () => {
      const { cache, names } = setUp();
      let lists = 0;
      cache.onSynced(() => (lists += 1));
      cache.markAbsent();
      assert.deepEqual([cache.hasSynced(), lists], [true, 1]);
      cache.markSynced();
      cache.put(thing('a', '1'));
      assert.deepEqual([names('red'), lists], [['a'], 2]);
      cache.markAbsent();
      cache.markAbsent();
      assert.deepEqual([names('red'), cache.hasSynced(), lists], [[], true, 2]);
      cache.markSynced();
      assert.equal(lists, 3);
    });

    it('indexes an object under every value, and moves it if the values change', () => {
      const { cache, names } = setUp();
      cache.put(thing('a', '1', 'red,blue'));
      cache.put(thing('b', '2', 'red'));
      assert.deepEqual([names('red'), names('blue')], [['a', 'b'], ['a']]);
      cache.put(thing('a', '3', 'green'));
      assert.deepEqual([names('red'), names('blue'), names('green')], [['b'], [], ['a']]);
      cache.remove(objectKey('b'));
      assert.deepEqual(names('red'), []);
    });

    it('indexes an object once under a repeated value', () => {
      const { cache, names } = setUp();
      cache.put(thing('a', '1', 'red,red'));
      assert.deepEqual(names('red'), ['a']);
      cache.remove(objectKey('a'));
      assert.deepEqual(names('red'), []);
    });

    it('does not change a list that a caller holds', () => {
      const { cache } = setUp();
      cache.put(thing('a', '1'));
      const objects = cache.byIndex('color', 'red');
      cache.put(thing('b', '2'));
      cache.remove(objectKey('a'));
      assert.deepEqual(
        objects.map(({ metadata }) => metadata.name),
        ['a'],
      );
    });

    it('rejects an unknown index', () => {
      assert.throws(() => setUp().cache.byIndex('colour', 'red'), /no index "colour"/);
    });

    it('reports each change once, after it is stored, with the previous object', () => {
      const { cache } = setUp();
      const changes: (readonly [string | undefined, string | undefined, number])[] = [];
      cache.onChange(({ before, after }) =>
        changes.push([before?.metadata.resourceVersion, after?.metadata.resourceVersion, cache.size]),
      );
      cache.put(thing('a', '1'));
      cache.put(thing('a', '1'));
      cache.put(thing('a', '2'));
      cache.remove(objectKey('a'));
      cache.remove(objectKey('a'));
      assert.deepEqual(changes, [
        [undefined, '1', 1],
        ['1', '2', 1],
        ['2', undefined, 0],
      ]);
    });

    it('treats a recreated object with the same name as a change', () => {
      const { cache } = setUp();
      cache.put(thing('a', '1', 'red', 'first'));
      cache.put(thing('a', '1', 'red', 'second'));
      assert.equal(cache.get(objectKey('a'))?.metadata.uid, 'second');
    });

    it('removes objects that a complete list lacks', () => {
      const { cache, names } = setUp();
      for (const name of ['a', 'b', 'c']) cache.put(thing(name, '1'));
      cache.retain(new Set([objectKey('b')]));
      assert.deepEqual(names('red'), ['b']);
      assert.equal(cache.size, 1);
    });

    it('continues if a handler throws, and calls the next handler', () => {
      const { cache } = setUp();
      let changes = 0;
      cache.onChange(() => {
        throw new Error('a bug');
      });
      cache.onChange(() => (changes += 1));
      cache.put(thing('a', '1'));
      assert.deepEqual([changes, cache.size], [1, 1]);
    });
  });
