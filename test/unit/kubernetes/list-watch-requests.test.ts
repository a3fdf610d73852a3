import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { errors } from 'undici';
import { openWatch } from '../../../src/kubernetes/list-watch-requests.ts';
import { BadWatchEvent } from '../../../src/kubernetes/watch-event.ts';
import type { ConfigMap } from '../../../src/base/kubernetes-objects.ts';

const added = (name: string): string =>
  JSON.stringify({ type: 'ADDED', object: { metadata: { name, uid: name, resourceVersion: '1' } } });

/** An invalid event must not hide the valid events before it. */
describe('a watch', () => {
  it('ends without an error if no data arrives', async () => {
    async function* silent(): AsyncGenerator<Buffer> {
      yield Buffer.from(`${added('a')}\n`);
      return Promise.reject(new errors.BodyTimeoutError());
    }
    const transport = {
      stream: () => Promise.resolve(Readable.from(silent())),
      json: () => Promise.reject(new Error('not asked for')),
    };
    const scope = { path: '/configmaps', selectors: {}, trim: (object: ConfigMap) => object };
    const events = await openWatch(
      transport,
      scope,
      { version: '1', timeoutSeconds: 300 },
      new AbortController().signal,
    );
    const batches = await Array.fromAsync(events);
    assert.equal(batches.flat().length, 1);
  });

  it('returns the events before an invalid event, and only then the error', async () => {
    const stream = () => Promise.resolve(Readable.from([Buffer.from(`${added('a')}\n${added('b')}\nno event\n`)]));
    const transport = { stream, json: () => Promise.reject(new Error('not asked for')) };
    const scope = { path: '/configmaps', selectors: {}, trim: (object: ConfigMap) => object };
    const from = { version: '1', timeoutSeconds: 300 };
    const events = await openWatch(transport, scope, from, new AbortController().signal);
    const names: string[] = [];
    await assert.rejects(async () => {
      for await (const batch of events)
        for (const event of batch) if (event.kind === 'stored') names.push(event.object.metadata.name);
    }, BadWatchEvent);
    assert.deepEqual(names, ['a', 'b']);
  });
});
