/** What the dirty mark of a Service says: changes of the cloud were begun, and not all that was asked for is done. */
export interface Dirt {
  /** They were to clean up. */
  readonly isLeaving: boolean;
  /** Not all of them were seen to end: one may yet take effect. */
  readonly isUnderWay: boolean;
}

export function writeDirt({ isLeaving, isUnderWay }: Dirt): string {
  if (!isLeaving) return isUnderWay ? 'true' : 'ended';
  return isUnderWay ? 'leaving' : 'leaving-ended';
}

const BOTH = [true, false];
const DIRTS: readonly Dirt[] = BOTH.flatMap((isLeaving) => BOTH.map((isUnderWay) => ({ isLeaving, isUnderWay })));
const BY_MARK: ReadonlyMap<string, Dirt> = new Map(DIRTS.map((dirt) => [writeDirt(dirt), dirt]));

const CLEAN: Dirt = { isLeaving: false, isUnderWay: false };

/** What a mark says; of a value that is not ours, that anything may yet happen. */
export const readDirt = (mark: string | undefined): Dirt =>
  mark === undefined ? CLEAN : (BY_MARK.get(mark) ?? { isLeaving: false, isUnderWay: true });
