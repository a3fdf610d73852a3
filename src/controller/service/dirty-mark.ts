/** What the dirty mark of a Service says: changes of the cloud were begun, and not all that was asked for is done. */
export interface Dirt {
  /** They were to leave nothing of it. */
  readonly isLeaving: boolean;
  /** Not all of them were seen to end: one may yet take effect. */
  readonly isUnderWay: boolean;
}

const VALUES: Readonly<Record<string, Dirt>> = {
  true: { isLeaving: false, isUnderWay: true },
  ended: { isLeaving: false, isUnderWay: false },
  leaving: { isLeaving: true, isUnderWay: true },
  'leaving-ended': { isLeaving: true, isUnderWay: false },
};

const CLEAN: Dirt = { isLeaving: false, isUnderWay: false };

/** What a mark says; of a value that is not ours, that anything may yet happen. */
export const readDirt = (mark: string | undefined): Dirt =>
  mark === undefined ? CLEAN : (VALUES[mark] ?? { isLeaving: false, isUnderWay: true });

export const writeDirt = ({ isLeaving, isUnderWay }: Dirt): string =>
  isLeaving ? (isUnderWay ? 'leaving' : 'leaving-ended') : isUnderWay ? 'true' : 'ended';
