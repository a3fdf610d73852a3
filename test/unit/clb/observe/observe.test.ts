import assert from 'node:assert/strict';
import type { ObservedPart } from '../../../../src/clb/model/invalidated-parts.ts';
import type { LoadBalancerId } from '../../../../src/clb/model/ids.ts';
import type { LoadBalancer } from '../../../../src/clb/model/load-balancer.ts';
import { EMPTY_CACHE, observe, type LookupHints, type ObservedCache } from '../../../../src/clb/observe/observe.ts';
import type { ClbApi } from '../../../../src/clb/model/clb-api.ts';
import type { Desired } from '../../../../src/clb/model/desired-and-observed-state.ts';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { aLoadBalancer, anObserved, aPresent, LB_ID, OWN_NAME, OWNER } from '../../../support/clb-objects.ts';

interface World {
  readonly byId?: readonly LoadBalancer[];
  readonly tagged?: readonly LoadBalancer[];
  readonly named?: readonly LoadBalancer[];
  readonly failing?: string;
}

/** Returns a reader that answers from `world` and records the reads. */
function reader({ byId = [], tagged = [], named = [], failing }: World) {
  const reads: string[] = [];
  const { groups, listeners } = anObserved();
  const answers: Partial<Record<keyof ClbApi, (...args: never[]) => unknown>> = {
    read: (id: LoadBalancerId) => byId.find((loadBalancer) => loadBalancer.id === id),
    findByTag: () => tagged,
    findByName: () => named,
    listListeners: () => listeners,
    listServerGroups: () => groups.map(({ id, name }) => ({ id, name })),
    readServerGroup: () => groups[0],
  };
  const api = new Proxy({} as ClbApi, {
    get:
      (_target, method: keyof ClbApi) =>
      async (...args: never[]) => {
        reads.push(method);
        if (method === failing) throw new PortcullisError('Unavailable', 'unwell');
        return answers[method]?.(...args);
      },
  });
  return { api, reads };
}

async function observed(
  world: World,
  known: ObservedCache = EMPTY_CACHE,
  hints: LookupHints = { published: [] },
  desired: Desired = aPresent(),
) {
  const { api, reads } = reader(world);
  let discovered = known;
  const context = { signal: new AbortController().signal, lane: 'audit', namespace: 'default' } as const;
  const result = await observe(desired, known, { hints, api, context, onObserved: (now) => (discovered = now) }).catch(
    (error: unknown) => error as Error,
  );
  return { reads, discovered, result };
}

const knownExcept = (...parts: readonly ObservedPart[]): ObservedCache => ({
  observed: anObserved(),
  invalidated: new Set(parts),
});
const ADDRESS = '47.96.0.1';
const BY_TAG_AND_NAME = ['findByTag', 'findByName'];
const FULL = ['listListeners', 'listServerGroups', 'readServerGroup'];

/** Each read costs a call, but without a needed read, the controller would decide about resources that it has not observed. */
describe('the reads from the cloud', () => {
  const cases: Record<
    string,
    { world: World; known?: ObservedCache; hints?: LookupHints; desired?: Desired; reads: string[] }
  > = {
    'nothing, if all state is known': { world: {}, known: knownExcept(), reads: [] },
    'only the tag, for a Service without a published address': { world: {}, reads: ['findByTag'] },
    'the name as well, for a Service with a published address': {
      world: {},
      hints: { published: [ADDRESS] },
      reads: BY_TAG_AND_NAME,
    },
    'all its resources, after the load balancer is found': {
      world: { tagged: [aLoadBalancer()] },
      reads: ['findByTag', ...FULL],
    },
    'the recorded id first': {
      world: { byId: [aLoadBalancer()] },
      hints: { published: [ADDRESS], recordedId: LB_ID },
      reads: ['read', ...FULL],
    },
    'the tag, if the recorded id belongs to another Service': {
      world: { byId: [aLoadBalancer({ name: 'x', tags: { 'kubernetes.do.not.delete': 'a1' } })] },
      hints: { published: [ADDRESS], recordedId: LB_ID },
      reads: ['read', ...BY_TAG_AND_NAME],
    },
    'a single group, if its state is unknown': {
      world: {},
      known: knownExcept('group:rsp-30080'),
      reads: ['readServerGroup'],
    },
    'the list of groups, and only unknown members': {
      world: {},
      known: knownExcept('groups'),
      reads: ['listServerGroups'],
    },
    'only the listeners, if their state is unknown': {
      world: {},
      known: knownExcept('listeners'),
      reads: ['listListeners'],
    },
    'only the owner, before an owned load balancer is deleted': {
      world: { byId: [aLoadBalancer()] },
      known: knownExcept('load-balancer', 'groups', 'listeners'),
      desired: { kind: 'absent', owner: OWNER, use: { kind: 'owned' }, preserve: false },
      reads: ['read'],
    },
    'no listeners of a reused load balancer, unless we manage them': {
      world: { byId: [aLoadBalancer()] },
      desired: aPresent({ use: { kind: 'reused', id: LB_ID, overrideListeners: false } }),
      reads: ['read', 'listServerGroups', 'readServerGroup'],
    },
    'also the listeners of a reused load balancer, before a group of the Service is deleted': {
      world: { byId: [aLoadBalancer()] },
      desired: aPresent({ use: { kind: 'reused', id: LB_ID, overrideListeners: false }, groups: [] }),
      reads: ['read', 'listServerGroups', 'listListeners', 'readServerGroup'],
    },
  };
  for (const [title, { world, known, hints, desired, reads }] of Object.entries(cases)) {
    it(`are ${title}`, async () => assert.deepEqual((await observed(world, known, hints, desired)).reads, reads));
  }

  it('are cached if a later read fails', async () => {
    const { discovered, result } = await observed({
      tagged: [aLoadBalancer()],
      failing: 'listServerGroups',
    });
    assert.ok(result instanceof PortcullisError);
    assert.equal(discovered.observed.loadBalancer?.id, LB_ID);
    assert.deepEqual([...discovered.invalidated], ['groups']);
  });

  it('fail if two load balancers match the Service, with both ids in the error', async () => {
    const twins = [aLoadBalancer(), aLoadBalancer({ id: 'lb-twin' as LoadBalancerId })];
    const { result } = await observed({ tagged: twins });
    assert.match(
      (result as Error).message,
      /lb-own, lb-twin all have the tag kubernetes\.do\.not\.delete of this Service; keep one/,
    );
  });

  const untagged = aLoadBalancer({ name: OWN_NAME, address: ADDRESS, tags: {} });

  const twin = { id: 'lb-twin' as LoadBalancerId, address: '47.96.0.2' };
  const pairs: Record<string, World> = {
    'both without the tag': { named: [untagged, { ...untagged, ...twin }] },
    'one without the tag': { byId: [untagged], tagged: [aLoadBalancer(twin)] },
  };
  for (const [what, world] of Object.entries(pairs))
    it(`fail if two load balancers match the Service, ${what}, with tag and name in the error`, async () => {
      const hints = {
        published: [ADDRESS, twin.address],
        hasDuplicate: true,
        ...(world.byId && { recordedId: LB_ID }),
      };
      const { result } = await observed(world, EMPTY_CACHE, hints);
      assert.equal(
        (result as Error).message,
        `load balancers lb-own, lb-twin all have the tag kubernetes.do.not.delete or the name ${OWN_NAME} of this Service; keep one load balancer: delete the rest, or remove the tag from the rest and rename them`,
      );
    });

  const called: Record<string, { found: Partial<LoadBalancer>; isOurs: boolean }> = {
    'the Service has its address': { found: {}, isOurs: true },
    'the Service has another address': { found: { address: '47.9.9.9' }, isOurs: false },
    'its tag has another owner': { found: { tags: { 'kubernetes.do.not.delete': 'a1' } }, isOurs: false },
    'a user created it': { found: { tags: { 'kubernetes.reused.by.user': 'true' } }, isOurs: false },
  };
  for (const [what, { found, isOurs }] of Object.entries(called))
    for (const recordedId of [undefined, LB_ID])
      it(`find ${isOurs ? 'an' : 'no'} owned load balancer by name ${recordedId === undefined ? '' : 'and label '}if ${what}`, async () => {
        const other = { ...untagged, ...found };
        const hints = { published: [ADDRESS], ...(recordedId === undefined ? {} : { recordedId }) };
        const { discovered } = await observed({ byId: [other], named: [other] }, EMPTY_CACHE, hints);
        assert.equal(discovered.observed.loadBalancer, isOurs ? other : undefined);
      });
});
