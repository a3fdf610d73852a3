import { factOf } from './annotation-facts.ts';
import { isExpected, expectedFor, type Actual, type Expected } from './oracle.ts';
import type { Written } from './service.ts';
import type { WebhookOutput } from './webhook.ts';

/** The annotations that can select another controller. */
const CLASS = factOf('class');
const TYPE = factOf('type');
const TUNNEL = factOf('tunnel-type');
/** The annotations that can make other annotations ineffective. */
const DECIDING = new Set(['id', 'force-override-listeners', 'protocol-port']);

const RULE = ' [annotation-value]';

/** Returns whether an annotation assigns the Service to another controller, which the webhook must allow. */
const isOfOtherController = (written: readonly Written[]): boolean =>
  written.some(({ fact, text }) => fact === TUNNEL || (fact === CLASS && text !== ''));
/** Returns whether `type` requests a network load balancer, which another controller creates. */
const requestsNetworkType = (written: readonly Written[]): boolean =>
  written.some(({ fact, text }) => fact === TYPE && text === 'nlb');

/** Returns what the webhook did about the value of a key: denied, warned or nothing. Considers only messages that contain `by`. */
function actualFor({ verdict: { answer } }: WebhookOutput, { fact, key }: Written, by = ''): Actual {
  const fields = [key, fact.key].map((name) => `metadata.annotations[${name}]`);
  const causes = answer.status?.details?.causes ?? [];
  if (causes.some(({ field, message }) => fields.includes(field) && message.includes(by))) return 'denied';
  const warns = (answer.warnings ?? []).some(
    (text) => text.includes(by) && fields.some((field) => text.includes(`: ${field}: `)),
  );
  return warns ? 'warned' : 'silent';
}

/** Returns the expected result for a value, given the other annotations. */
function expectedIn(written: readonly Written[], { fact, text }: Written): Expected {
  if (text === '') return 'valid';
  const expected = expectedFor(fact, text);
  const mayHaveNoEffect = written.some((other) => other.fact !== fact && DECIDING.has(other.fact.name));
  return expected === 'denied' && mayHaveNoEffect ? 'reported' : expected;
}

/** Returns the mistake in a decision of the webhook. Returns undefined if the decision agrees with annotation-facts.json. */
export function wrongValue(input: WebhookOutput, written: readonly Written[], isNoChange: boolean): string | undefined {
  const { decision } = input.verdict;
  if (isOfOtherController(written))
    return decision === 'allowed' ? undefined : "another controller's Service was not allowed";
  if (requestsNetworkType(written))
    return decision === 'denied' ? "another controller's Service was denied" : undefined;
  if (isNoChange) return undefined;
  for (const one of written) {
    const expected = expectedIn(written, one);
    // Other rules may find further violations in a value, whether the value is valid or not.
    const is = actualFor(input, one, expected === 'valid' || expected === 'allowed' ? RULE : '');
    if (!isExpected(expected, is))
      return `${one.key}: ${JSON.stringify(one.text.slice(0, 200))} must be ${expected}, and was ${is}`;
  }
  return undefined;
}
