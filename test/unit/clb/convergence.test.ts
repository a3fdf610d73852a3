import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Action } from '../../../src/clb/model/action.ts';
import { isRemoval } from '../../../src/clb/model/action.ts';
import { diff } from '../../../src/clb/diff/diff.ts';
import { observedAfter } from '../../../src/clb/model/observed-after-action.ts';
import type { LoadBalancerId, VServerGroupId } from '../../../src/clb/model/ids.ts';
import type { DesiredListener } from '../../../src/clb/model/listener.ts';
import { listenerName, ownerTags } from '../../../src/clb/model/naming.ts';
import {
  backendKey,
  findGroup,
  NOTHING_THERE,
  type Observed,
  type Present,
} from '../../../src/clb/model/desired-and-observed-state.ts';
import { aBackend, aPresent, groupName, OWNER } from '../../support/clb-objects.ts';

const PORTS = [80, 443, 8080];

/** Returns a listener of any protocol on a port, with some attributes set or unset. */
const listener = (port: number): fc.Arbitrary<DesiredListener> => {
  const common = { port, description: listenerName(OWNER, port), group: groupName(30_000 + port) };
  const scheduler = fc.option(fc.constantFrom('rr' as const, 'wrr' as const), { nil: undefined });
  const withoutUndefined = (fields: object) => JSON.parse(JSON.stringify(fields)) as object;
  return fc.oneof(
    scheduler.map((value) => ({ protocol: 'udp' as const, ...common, ...withoutUndefined({ scheduler: value }) })),
    fc
      .tuple(
        scheduler,
        fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
        fc.constantFrom('on', 'off', undefined),
      )
      .map(([value, persistenceTimeout, aclStatus]) => ({
        protocol: 'tcp' as const,
        ...common,
        ...withoutUndefined({
          scheduler: value,
          persistenceTimeout,
          aclStatus,
          aclType: aclStatus && 'white',
          aclId: aclStatus && 'acl-1',
        }),
      })),
    scheduler.map((value) => ({ protocol: 'http' as const, ...common, ...withoutUndefined({ scheduler: value }) })),
    fc.constant({ protocol: 'https' as const, ...common, serverCertificateId: 'cert-1' }),
  );
};

const desired: fc.Arbitrary<Present> = fc
  .record({
    ports: fc.subarray(PORTS),
    servers: fc.subarray(['i-1', 'i-2', 'i-3', 'i-4']),
    weight: fc.integer({ min: 0, max: 100 }),
    many: fc.boolean(),
    ignoreWeights: fc.boolean(),
    name: fc.constantFrom('a', 'b', undefined),
    tags: fc.dictionary(fc.constantFrom('team', 'stage'), fc.constantFrom('x', 'y')),
  })
  .chain(({ ports, servers, weight, many, ignoreWeights, name, tags }) => {
    const all = many ? [...servers, ...Array.from({ length: 30 }, (_, index) => `i-x${index}`)] : servers;
    return fc.tuple(...ports.map(listener)).map((listeners) =>
      aPresent({
        ignoreWeights,
        tags,
        attributes: name === undefined ? {} : { name },
        creation: { ...aPresent().creation, ...(name === undefined ? {} : { name }) },
        groups: ports.map((port) => ({
          name: groupName(30_000 + port),
          backends: all.map((server) => aBackend(server, 30_000 + port, { weight })),
        })),
        listeners,
      }),
    );
  });

let ids = 0;
const answerTo = (action: Action) => {
  ids += 1;
  if (action.kind === 'create-load-balancer')
    return { id: `lb-${ids}` as LoadBalancerId, address: `47.0.0.${ids % 250}` };
  return action.kind === 'create-server-group' ? (`rsp-${ids}` as VServerGroupId) : undefined;
};

/** Returns every intermediate state, ending with the final one. */
function carriedOut(present: Present, from: Observed): readonly Observed[] {
  const states: Observed[] = [];
  for (const action of diff(present, from).actions)
    states.push(observedAfter(states.at(-1) ?? from, action, answerTo(action)));
  return states;
}
const endOf = (present: Present, from: Observed): Observed => carriedOut(present, from).at(-1) ?? from;

/** A plan that does not converge would call the cloud forever. */
describe('the plan and its execution', () => {
  it('converge from any state, and the next plan is empty', () => {
    fc.assert(
      fc.property(desired, desired, (first, second) => {
        const before = endOf(first, NOTHING_THERE);
        assert.deepEqual(diff(first, before).actions, []);
        assert.deepEqual(diff(second, endOf(second, before)).actions, []);
      }),
      { numRuns: 500 },
    );
  });

  it('converge to the same state from every intermediate state', () => {
    fc.assert(
      fc.property(desired, desired, fc.nat(), (first, second, where) => {
        const before = endOf(first, NOTHING_THERE);
        const states = carriedOut(second, before);
        const middle = states[where % Math.max(1, states.length)] ?? before;
        assert.deepEqual(diff(second, endOf(second, middle)).actions, []);
      }),
      { numRuns: 500 },
    );
  });

  it('never leave a group with fewer backends than the smaller of its old and new sizes', () => {
    fc.assert(
      fc.property(desired, desired, (first, second) => {
        const before = endOf(first, NOTHING_THERE);
        for (const group of second.groups) {
          const had = findGroup(before, group.name)?.backends.length ?? 0;
          const sizes = carriedOut(second, before).flatMap(
            (state) => findGroup(state, group.name)?.backends.length ?? [],
          );
          for (const size of sizes) assert.ok(size >= Math.min(had, group.backends.length));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('delete nothing of another owner, and add no existing backend', () => {
    const others: Observed = {
      ...NOTHING_THERE,
      groups: [
        {
          id: 'rsp-others' as VServerGroupId,
          name: 'k8s/30080/api/shop/c1',
          backends: [aBackend('i-1', 30_080, { description: 'k8s/30080/api/shop/c1' })],
        },
      ],
      listeners: [{ protocol: 'tcp', port: 9000, description: 'k8s/9000/api/shop/c1', status: 'running' }],
    };
    fc.assert(
      fc.property(desired, (present) => {
        const loadBalancer = endOf(aPresent(), NOTHING_THERE).loadBalancer;
        assert.ok(loadBalancer !== undefined);
        const from = { ...others, loadBalancer: { ...loadBalancer, tags: ownerTags(OWNER) } };
        const end = endOf(present, from);
        assert.deepEqual(end.groups[0], others.groups[0]);
        assert.deepEqual(end.listeners[0], others.listeners[0]);
        for (const { backends } of end.groups) assert.equal(new Set(backends.map(backendKey)).size, backends.length);
        assert.ok(!diff(present, from).actions.some((action) => isRemoval(action) && action.kind !== 'untag'));
      }),
      { numRuns: 200 },
    );
  });
});
