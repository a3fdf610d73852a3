import { recordedBeforeWrite } from './invariants/recorded-before-write.ts';
import { finalizerFirst } from './invariants/finalizer-first.ts';
import { finalizerLast } from './invariants/finalizer-last.ts';
import { leaderOnly } from './invariants/leader-only.ts';
import { namespaceIsolation } from './invariants/namespace-isolation.ts';
import { emptyServerGroup } from './invariants/empty-server-group.ts';
import { noOrphan } from './invariants/no-orphan.ts';
import { secretLeak } from './invariants/secret-leak.ts';
import { oneRouteWriterPerVPC } from './invariants/one-route-writer-per-vpc.ts';
import { oneWriterPerLB } from './invariants/no-overlapping-calls.ts';
import { foreignResources } from './invariants/foreign-resources.ts';
import { ownWritesIgnored } from './invariants/own-writes-ignored.ts';
import { preservedWithoutBackends } from './invariants/untagged-without-backends.ts';
import { throttleWindow } from './invariants/throttle-window.ts';
import { reusedLoadBalancer } from './invariants/reused-load-balancer.ts';
import { singleLoadBalancer } from './invariants/single-load-balancer.ts';
import { bindingFixed } from './invariants/binding-fixed.ts';
import { publishedAddressValid } from './invariants/published-address-valid.ts';
import { tagsAtCreation } from './invariants/tags-at-creation.ts';
import { tokenStable } from './invariants/token-stable.ts';
import { taintsCorrect } from './invariants/node-taints.ts';
import { nodeDeleteProof } from './invariants/node-delete-proof.ts';
import { routeScope } from './invariants/route-scope.ts';
import { readBeforeSynced } from './invariants/cloud-read-before-synced.ts';
import { deleteAfterFailedRead } from './invariants/delete-after-failed-read.ts';
import { portTakeover } from './invariants/port-takeover.ts';
import { usageRecorded } from './invariants/usage-before-creation.ts';
import { addBeforeRemove } from './invariants/add-before-remove.ts';
import type { Invariant } from './moment.ts';

/** The invariants that every test with a controller checks. Some apply only to some histories: `LeaderOnly` needs a Lease, for example. */
export const INVARIANTS: readonly Invariant[] = [
  singleLoadBalancer,
  finalizerFirst,
  finalizerLast,
  foreignResources,
  recordedBeforeWrite,
  usageRecorded,
  reusedLoadBalancer,
  tagsAtCreation,
  oneWriterPerLB,
  oneRouteWriterPerVPC,
  tokenStable,
  publishedAddressValid,
  bindingFixed,
  noOrphan,
  throttleWindow,
  namespaceIsolation,
  secretLeak,
  taintsCorrect,
  nodeDeleteProof,
  routeScope,
  readBeforeSynced,
  deleteAfterFailedRead,
  portTakeover,
  addBeforeRemove,
  leaderOnly,
  ownWritesIgnored,
  emptyServerGroup,
  preservedWithoutBackends,
];
