import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { anyAcceptedService, theRegion } from '../support/any-accepted.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, SERVICES } from '../support/simulated-cluster.ts';

/** Milliseconds within which every finite retry finishes. */
const SETTLED_MS = 3 * 60_000;

async function applied(service: Service): Promise<void> {
  const cluster = aCluster();
  cluster.simulator.seed(theRegion(service));
  const process = cluster.start();
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n2']));
  cluster.kubernetes.put(SERVICES, service);
  await cluster.quiet(SETTLED_MS);
  const { status } = cluster.service() ?? service;
  const writes = (): number => cluster.journal().filter(({ kind }) => kind === 'write').length;
  const before = writes();
  await cluster.quiet(SETTLED_MS);
  await process.stop();
  assert.equal(status?.loadBalancer?.ingress?.length, 1, 'the Service has no address');
  assert.equal(cluster.binding()?.spec.operation, undefined, 'the binding still records an operation');
  assert.equal(writes(), before, 'the controller goes on changing things');
}

/** A Service that admission accepts must be synced. Otherwise users would learn of a mistake only after the deployment. */
describe('a Service that no rule denies', () => {
  it('is synced for any combination of annotations', () =>
    fc.assert(fc.asyncProperty(anyAcceptedService, applied), { numRuns: 200, seed: 1 })).timeout(120_000);
});
