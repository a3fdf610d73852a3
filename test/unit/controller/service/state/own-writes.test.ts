import assert from 'node:assert/strict';
import { OwnWrites } from '../../../../../src/controller/service/state/own-writes.ts';
import type { KubernetesWriter } from '../../../../../src/controller/kubernetes-interface.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../../../src/inventory/binding.ts';
import {
  keyOf,
  NODES,
  objectKey,
  SERVICES,
  type Resource,
  type Service,
} from '../../../../../src/base/kubernetes-objects.ts';
import { aBinding, SYNCED } from '../../../../support/invariants/history-builders.ts';
import { aService } from '../../../../support/service.ts';

const KEY = keyOf(aService());
const signal = new AbortController().signal;

const at = (resourceVersion: string): Service => {
  const service = aService();
  return { ...service, metadata: { ...service.metadata, resourceVersion } };
};

/** Creates a tracker of own writes whose answers a test sends. */
function bench() {
  const own = new OwnWrites();
  const answers: PromiseWithResolvers<Service>[] = [];
  const writer = own.through({
    mergePatch: () => {
      const answer = Promise.withResolvers<Service>();
      answers.push(answer);
      return answer.promise;
    },
  } as unknown as KubernetesWriter);
  const heard: string[] = [];
  const write = (resource: Resource = SERVICES) => writer.mergePatch(resource, KEY, {}, {}, signal);
  const receive = (version: string) => own.unlessOwn(SERVICES, KEY, at(version), () => void heard.push(version));
  return {
    answers,
    heard,
    write,
    receive,
    receiveDeletion: () => own.unlessOwn(SERVICES, KEY, undefined, () => void heard.push('gone')),
  };
}

/** The watch returns the writes of the controller, each of which would cause another reconcile without this filter. */
describe('a watch event of a Service', () => {
  it('is processed at once while no own write is in progress', () => {
    const { heard, receive } = bench();
    receive('2');
    assert.deepEqual(heard, ['2']);
  });

  it('is skipped for an own write, before or after the response', async () => {
    const { answers, heard, write, receive } = bench();
    for (const [index, version] of ['2', '3'].entries()) {
      const written = write();
      if (index === 0) receive(version);
      answers[index]?.resolve(at(version));
      await written;
      if (index === 1) receive(version);
    }
    assert.deepEqual(heard, []);
  });

  it('is processed after the response, in order, for a foreign write during an own write', async () => {
    const { answers, heard, write, receive } = bench();
    const written = write();
    receive('2');
    receive('3');
    receive('4');
    assert.deepEqual(heard, []);
    answers[0]?.resolve(at('3'));
    await written;
    assert.deepEqual(heard, ['2', '4']);
  });

  it('is processed if the outcome of an own write is unknown', async () => {
    const { answers, heard, write, receive } = bench();
    const written = write();
    receive('2');
    answers[0]?.reject(new Error('no answer'));
    await assert.rejects(written);
    assert.deepEqual(heard, ['2']);
  });

  it('is not delayed by writes of other kinds', () => {
    const { heard, write, receive } = bench();
    void write(NODES);
    receive('2');
    assert.deepEqual(heard, ['2']);
  });

  it('is always processed for a deleted Service, which drops its state', async () => {
    const { answers, heard, write, receive, receiveDeletion } = bench();
    const written = write();
    answers[0]?.resolve(at('2'));
    await written;
    receiveDeletion();
    receive('2');
    assert.deepEqual(heard, ['gone', '2']);
  });
});

describe('a watch event of a binding', () => {
  const KEY_OF_BINDING = objectKey(aBinding().metadata.name);

  /** Returns the forwarded versions, if an event with `version` arrives before the answer to the controller's creation of a binding. */
  async function heardOf(version: string, resource: Resource = LOAD_BALANCER_BINDINGS): Promise<readonly string[]> {
    const own = new OwnWrites();
    const heard: string[] = [];
    const receive = { ...aBinding(), metadata: { ...aBinding().metadata, resourceVersion: version } };
    const writer = own.through({
      create: async () => {
        own.unlessOwn(resource, KEY_OF_BINDING, receive, () => void heard.push(version));
        return aBinding(SYNCED);
      },
    } as unknown as KubernetesWriter);
    await writer.create(LOAD_BALANCER_BINDINGS, aBinding(SYNCED), signal);
    return heard;
  }

  it('is skipped for a creation by the controller', async () => assert.deepEqual(await heardOf('1'), []));
  it('is processed for foreign writes', async () => assert.deepEqual(await heardOf('2'), ['2']));
  it('is distinct from an event of a Service with the same name', async () =>
    assert.deepEqual(await heardOf('1', SERVICES), ['1']));
});
