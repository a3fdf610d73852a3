import { recordedBeforeWrite } from './invariants/recorded-before-write.ts';
import { finalizerFirst } from './invariants/finalizer-first.ts';
import { finalizerLast } from './invariants/finalizer-last.ts';
import { leaderOnly } from './invariants/leader-only.ts';
import { namespaceWall } from './invariants/namespace-wall.ts';
import { neverEmptyByMistake } from './invariants/never-empty-by-mistake.ts';
import { noOrphan } from './invariants/no-orphan.ts';
import { noSecretOut } from './invariants/no-secret-out.ts';
import { oneRouteWriterPerVPC } from './invariants/one-route-writer-per-vpc.ts';
import { oneWriterPerLB } from './invariants/one-writer-per-lb.ts';
import { onlyMine } from './invariants/only-mine.ts';
import { ownWritesIgnored } from './invariants/own-writes-ignored.ts';
import { preservedWithoutBackends } from './invariants/preserved-without-backends.ts';
import { quotaKept } from './invariants/quota-kept.ts';
import { reusedLBSurvives } from './invariants/reused-lb-survives.ts';
import { singleLB } from './invariants/single-lb.ts';
import { bindingFixed } from './invariants/binding-fixed.ts';
import { publishedAddressValid } from './invariants/published-address-valid.ts';
import { tagAtBirth } from './invariants/tag-at-birth.ts';
import { tokenStable } from './invariants/token-stable.ts';
import { taintsCorrect } from './invariants/taint-accuracy.ts';
import { nodeDeleteProof } from './invariants/node-delete-proof.ts';
import { routeScope } from './invariants/route-scope.ts';
import { skipOnlyIfSynced } from './invariants/skip-only-if-synced.ts';
import { noBlindDelete } from './invariants/no-blind-delete.ts';
import { portOwner } from './invariants/port-owner.ts';
import { usageRecorded } from './invariants/usage-recorded.ts';
import { addBeforeRemove } from './invariants/add-before-remove.ts';
import type { Invariant } from './moment.ts';

/**
 * Invariants of every history. Checked in part: `LeaderOnly` (Lease), `NeverEmptyByMistake` (certain backends), `DeletionDeferred` (failed reads, not
 * missing pages), `SkipOnlyIfSynced` (operations), `NoSecretOut` (output of recorded processes).
 */
export const INVARIANTS: readonly Invariant[] = [
  singleLB,
  finalizerFirst,
  finalizerLast,
  onlyMine,
  recordedBeforeWrite,
  usageRecorded,
  reusedLBSurvives,
  tagAtBirth,
  oneWriterPerLB,
  oneRouteWriterPerVPC,
  tokenStable,
  publishedAddressValid,
  bindingFixed,
  noOrphan,
  quotaKept,
  namespaceWall,
  noSecretOut,
  taintsCorrect,
  nodeDeleteProof,
  routeScope,
  skipOnlyIfSynced,
  noBlindDelete,
  portOwner,
  addBeforeRemove,
  leaderOnly,
  ownWritesIgnored,
  neverEmptyByMistake,
  preservedWithoutBackends,
];
