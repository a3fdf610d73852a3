import { aReview } from '../support/review.ts';
import { encode, withOddParts, withOddRequest } from './review-encoding.ts';
import { corrupt, garble, textOf } from './corruption.ts';
import { randomOf, type Random } from './random.ts';
import { serviceWith, writtenBy, type Written } from './service.ts';
import { HOSTILE_TEXTS } from './values.ts';

/** A generated review for the webhook, with the facts that determine the correct result. */
export interface Case {
  readonly body: Buffer;
  /** The annotations of its Service. Undefined for a damaged review, whose correct result is unknown. */
  readonly written?: readonly Written[];
  /** True if the review changes nothing of the stored object. */
  readonly isNoChange: boolean;
}

const MANAGERS = ['', 'kubectl-client-side-apply', 'kubectl-edit', 'helm', 'argocd'] as const;

const STATUS = { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } };

interface Stored {
  readonly metadata?: object;
}

/** Returns the object with an additional label. */
const labelled = (object: Stored): object => ({
  ...object,
  metadata: { ...object.metadata, labels: { team: 'shop' } },
});

function aNode(random: Random): object {
  const labels = {
    'service.beta.kubernetes.io/exclude-node': random.pick(HOSTILE_TEXTS),
    'node-role.kubernetes.io/master': '',
    [random.pick(HOSTILE_TEXTS)]: random.pick(HOSTILE_TEXTS),
  };
  const spec = { providerID: random.pick(['cn-hangzhou.i-1', 'alicloud://cn-hangzhou.i-1', ...HOSTILE_TEXTS]) };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u1', labels }, spec };
}

/** Returns a review of a creation, or of an update that changes only a label. */
function reviewOf(random: Random, intact: object, object: object, isUpdate: boolean): object {
  const fieldManager = random.pick(MANAGERS);
  const input = { object: intact, fieldManager, ...(isUpdate ? { oldObject: intact } : {}) };
  const review = aReview(input) as { readonly request: object };
  const objects = isUpdate ? { object: labelled(object), oldObject: structuredClone(object) } : { object };
  return { ...review, request: { ...review.request, ...objects } };
}

/** Returns a Service with realistic annotations in an intact review. */
function valueCase(random: Random, written: readonly Written[]): Case {
  const service = serviceWith(written);
  const isNoChange = random.oneIn(4);
  const review = reviewOf(random, service, service, isNoChange);
  return { body: Buffer.from(JSON.stringify(review)), written, isNoChange };
}

/** Returns a Service with all other members that the API server stores, in its encoding. */
function storedCase(random: Random, written: readonly Written[]): Case {
  const service = withOddParts(random, serviceWith(written));
  const isNoChange = random.oneIn(4);
  const review = reviewOf(random, service, service, isNoChange) as { readonly request: object };
  const body = encode({ ...review, request: withOddRequest(random, review.request) });
  return { body, written, isNoChange };
}

/** Returns a damaged Service or Node, in a review that may be damaged too. */
function shapeCase(random: Random, written: readonly Written[]): Case {
  const intact = random.oneIn(6) ? aNode(random) : serviceWith(written);
  const object = random.oneIn(4) ? { ...intact, status: structuredClone(STATUS) } : structuredClone(intact);
  const isUpdate = random.oneIn(2);
  const isDamagedWithin = random.oneIn(2);
  if (isDamagedWithin) corrupt(random, object);
  const review = reviewOf(random, intact, object, isUpdate);
  if (!isDamagedWithin) for (let left = 1 + random.below(3); left > 0; left--) corrupt(random, review);
  return { body: Buffer.from(textOf(review)), isNoChange: false };
}

/** Returns the case `number` of a run with `seed`. Half of the cases are intact, and half are damaged. */
export function caseOf(seed: number, number: number): Case {
  const random = randomOf(seed, number);
  const written = writtenBy(random);
  const kind = random.below(20);
  if (kind < 5) return valueCase(random, written);
  if (kind < 10) return storedCase(random, written);
  const one = shapeCase(random, written);
  return kind < 18 ? one : { ...one, body: garble(random, one.body) };
}
