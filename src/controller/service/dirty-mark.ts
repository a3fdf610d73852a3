/** What changes were begun to take away: the Service's own load balancer, because another is to serve it, or all that it has. */
export type Leaving = 'own' | 'everything';

/** What the dirty mark of a Service says: changes of the cloud were begun, and not all that was asked for is done. */
export interface Dirt {
  readonly leaving?: Leaving;
  /** Not all of them were seen to end: one may yet take effect. */
  readonly isUnderWay: boolean;
}

export function writeDirt({ leaving, isUnderWay }: Dirt): string {
  if (leaving === undefined) return isUnderWay ? 'true' : 'ended';
  const word = leaving === 'own' ? 'leaving-own' : 'leaving';
  return isUnderWay ? word : `${word}-ended`;
}

const DIRTS: readonly Dirt[] = [true, false].flatMap((isUnderWay) => [
  { isUnderWay },
  { leaving: 'own', isUnderWay },
  { leaving: 'everything', isUnderWay },
]);
const BY_MARK: ReadonlyMap<string, Dirt> = new Map(DIRTS.map((dirt) => [writeDirt(dirt), dirt]));

const CLEAN: Dirt = { isUnderWay: false };

/** What a mark says; of a value that is not ours, that anything may yet happen. */
export const readDirt = (mark: string | undefined): Dirt =>
  mark === undefined ? CLEAN : (BY_MARK.get(mark) ?? { isUnderWay: true });
