/** What changes were begun to take away: the Service's own load balancer, because another is to serve it, or all that it has. */
export type Leaving = 'own' | 'everything';

/** What the dirty mark of a Service says: changes of the cloud were begun, and not all that was asked for is done. */
export interface Dirt {
  readonly leaving?: Leaving;
  /** Not all of them were seen to end: one may yet take effect. */
  readonly isUnderWay: boolean;
}

const VALUES: Readonly<Record<string, Dirt>> = {
  true: { isUnderWay: true },
  ended: { isUnderWay: false },
  leaving: { leaving: 'everything', isUnderWay: true },
  'leaving-ended': { leaving: 'everything', isUnderWay: false },
  'leaving-own': { leaving: 'own', isUnderWay: true },
  'leaving-own-ended': { leaving: 'own', isUnderWay: false },
};

const CLEAN: Dirt = { isUnderWay: false };

/** What a mark says; of a value that is not ours, that anything may yet happen. */
export const readDirt = (mark: string | undefined): Dirt =>
  mark === undefined ? CLEAN : (VALUES[mark] ?? { isUnderWay: true });

export function writeDirt({ leaving, isUnderWay }: Dirt): string {
  if (leaving === undefined) return isUnderWay ? 'true' : 'ended';
  const word = leaving === 'own' ? 'leaving-own' : 'leaving';
  return isUnderWay ? word : `${word}-ended`;
}
