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

/** The answers of the reads of one Service, by call. */
export interface ReadAnswers {
  /** Of the reconcile before, if the cloud throttled it. */
  readonly earlier: Answers;
  /** Of this reconcile. */
  readonly now: Answers;
}

export const noAnswers = (): ReadAnswers => ({ earlier: new Map(), now: new Map() });

/** Returns the answers for the next reconcile: a retry after throttling continues where the cloud stopped the reconcile. */
export const answersForRetry = ({ now }: ReadAnswers, isThrottled: boolean): ReadAnswers =>
  isThrottled ? { earlier: now, now: new Map() } : noAnswers();

/** What the load balancer is read for: one may be read as the Service's own and as a user-managed load balancer. */
const purposeOf = (use: Use): string => (use.kind === 'owned' ? use.kind : use.id);

/**
 * Returns reads that do not repeat the calls of a throttled reconcile. Only the first read of a part is answered so: a second read
 * in one reconcile asks for what has changed meanwhile.
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
