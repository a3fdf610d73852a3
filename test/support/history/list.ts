import { dirtyBeforeWrite } from './invariants/dirty-before-write.ts';
import { finalizerFirst } from './invariants/finalizer-first.ts';
import { finalizerLast } from './invariants/finalizer-last.ts';
import { onlyMine } from './invariants/only-mine.ts';
import { singleLB } from './invariants/single-lb.ts';
import type { Invariant } from './moment.ts';

/** Everything that every history is held to. */
export const INVARIANTS: readonly Invariant[] = [singleLB, finalizerFirst, finalizerLast, onlyMine, dirtyBeforeWrite];
