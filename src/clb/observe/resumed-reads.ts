import type { ClbApi } from '../model/api.ts';
import type { Use } from '../model/state.ts';

/** The calls that read a load balancer and its parts. */
export type ReadApi = Pick<
  ClbApi,
  | 'read'
  | 'findByTag'
  | 'findByName'
  | 'findByAddress'
  | 'listListeners'
  | 'listServerGroups'
  | 'readServerGroup'
  | 'listDomainExtensions'
>;

type Answers = Map<string, unknown>;

/** The answers to the reads of a Service, by call. */
export interface ReadAnswers {
  /** The answers of the previous reconcile, if the cloud throttled it. */
  readonly earlier: Answers;
  /** The answers of this reconcile. */
  readonly now: Answers;
}

export const noAnswers = (): ReadAnswers => ({ earlier: new Map(), now: new Map() });

/** Returns the answers for the next reconcile: a retry after throttling continues where the cloud stopped the reconcile. */
export const answersForRetry = ({ now }: ReadAnswers, isResumed: boolean): ReadAnswers =>
  isResumed ? { earlier: now, now: new Map() } : noAnswers();

/** Returns the purpose of a read. The same load balancer may be read as the Service's own and as a user-managed load balancer. */
const purposeOf = (use: Use): string => (use.kind === 'owned' ? use.kind : use.id);

/**
 * Returns reads that do not repeat the calls of a throttled reconcile. Only the first read of a part uses an earlier answer, because a second read in
 * a reconcile asks for later changes.
 */
export function resumedReads(api: ReadApi, use: Use, { earlier, now }: ReadAnswers): ReadApi {
  const resume = async <Answer>(call: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const key = `${purposeOf(use)} ${call}`;
    const answer = !now.has(key) && earlier.has(key) ? (earlier.get(key) as Answer) : await ask();
    now.set(key, answer);
    return answer;
  };
  return {
    read: (id, context) => resume(`load balancer ${id}`, () => api.read(id, context)),
    findByTag: (key, value, context) => resume(`tag ${key}=${value}`, () => api.findByTag(key, value, context)),
    findByName: (name, context) => resume(`name ${name}`, () => api.findByName(name, context)),
    findByAddress: (address, context) => resume(`address ${address}`, () => api.findByAddress(address, context)),
    listListeners: (id, context) => resume(`listeners ${id}`, () => api.listListeners(id, context)),
    listServerGroups: (id, context) => resume(`groups ${id}`, () => api.listServerGroups(id, context)),
    readServerGroup: (id, context) => resume(`group ${id}`, () => api.readServerGroup(id, context)),
    listDomainExtensions: (id, port, context) =>
      resume(`domains ${id} ${port}`, () => api.listDomainExtensions(id, port, context)),
  };
}
