import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { EventTarget } from '../../../src/controller/kubernetes-interface.ts';
import { controllerKubernetes, type ControllerKubernetes } from '../../../src/kubernetes/controller-webhook-clients.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { access, until } from '../../support/kubernetes-access.ts';
import { root } from '../../support/manifests.ts';

/** Users read events with kubectl, so the API server must accept and aggregate them. */
describe('events in a real API server, with the shipped RBAC,', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  let kubernetes: ControllerKubernetes;
  let target: EventTarget;
  const stop = new AbortController();
  let running: Promise<void>;

  before(async () => {
    plane = await borrowControlPlane();
    for (const part of ['namespace', 'controller']) {
      await plane.kubectl('apply', '--server-side', '-k', join(root, 'manifests', part));
    }
    const account = await plane.kubeconfigFor('portcullis-system/portcullis-controller');
    kubernetes = controllerKubernetes({ ...(await access(account)), identity: 'ccm-test' });
    running = kubernetes.run(stop.signal);
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
    const { metadata } = (await plane.client.create('/api/v1/namespaces/default/services', object)) as Service;
    target = { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'default', uid: metadata.uid };
  });
  after(async () => {
    stop.abort(new Error('the test is over'));
    await running;
    await kubernetes[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const emitted = async (reason: string): Promise<string[]> => {
    const columns = '--output=jsonpath={range .items[*]}{.count} {.source.component} {.message}{"\\n"}{end}';
    const text = await plane.kubectl(
      'get',
      'events',
      `--field-selector=reason=${reason},involvedObject.uid=${target.uid}`,
      columns,
    );
    return text
      .trim()
      .split('\n')
      .filter((line) => line !== '');
  };
  const become = (reason: string, expected: readonly string[]) =>
    until(
      `events ${expected.join('; ')}`,
      async () => JSON.stringify((await emitted(reason)).toSorted()) === JSON.stringify(expected.toSorted()),
    );

  it('have a count if an event is repeated', async () => {
    const emit = (): void =>
      kubernetes.api.events.record(target, 'Warning', 'Counted', 'no quota for another load balancer');
    for (let time = 0; time < 3; time += 1) {
      emit();
      await become('Counted', [`${time + 1} service-controller no quota for another load balancer`]);
    }
  });

  it('are shown by kubectl describe', async () => {
    kubernetes.api.events.record(target, 'Normal', 'Described', 'the load balancer is there');
    await until('the event', async () =>
      (await plane.kubectl('describe', 'service', 'web')).includes('the load balancer is there'),
    );
  });

  it('are aggregated if many are similar', async () => {
    const other: EventTarget = { ...target, uid: 'another' };
    for (let time = 0; time < 14; time += 1)
      kubernetes.api.events.record(other, 'Warning', 'Combined', `request ${time} failed`);
    const list = async () =>
      (await plane.kubectl('get', 'events', '--field-selector=reason=Combined', '--output=name')).trim().split('\n');
    await until('eleven events', async () => (await list()).length === 11);
    const combined = await plane.kubectl(
      'get',
      'events',
      '--field-selector=reason=Combined',
      '--output=jsonpath={.items[*].message}',
    );
    assert.match(combined, /\(combined from similar events\): request 13 failed/);
  });

  it('are in the default namespace if they are about a Node', async () => {
    const node: EventTarget = { apiVersion: 'v1', kind: 'Node', name: 'n-1', uid: 'n-1' };
    kubernetes.events.recorder('node-controller').record(node, 'Warning', 'SyncNodeFailed', 'the instance is unknown');
    await until('the event', async () =>
      (await plane.kubectl('get', 'events', '--namespace=default', '--field-selector=reason=SyncNodeFailed')).includes(
        'n-1',
      ),
    );
  });
});
