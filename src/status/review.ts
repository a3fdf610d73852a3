import { PortcullisError } from '../base/errors.ts';
import type { NewObject } from '../kubernetes/reader.ts';
import { nlbAnnotation } from '../rules/nlb-annotation.ts';

/** The result of a review that the webhook has to answer. */
export type ReviewResult =
  | { readonly kind: 'answered' }
  /** The API server admitted the request without an answer, or failed because there was none. */
  | { readonly kind: 'unanswered'; readonly why: string }
  /** Another webhook or policy denied the request first. */
  | { readonly kind: 'undecided'; readonly why: string };

const ANNOTATION = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-zone-maps';

/** Returns a Service that gets a warning of the webhook whatever its mode and the policies are. */
export const reviewedService = (namespace: string): NewObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'portcullis-status', namespace, annotations: { [ANNOTATION]: 'none' } },
  spec: { type: 'LoadBalancer', selector: { app: 'portcullis-status' }, ports: [{ port: 80 }] },
});

const RULE = `[${nlbAnnotation.name}]`;
const DENIED = /admission webhook "[^"]*\.portcullis\.io" denied/;
const FAILED = /failed calling webhook "[^"]*\.portcullis\.io"/;
/** Only authorization answers like this. Other webhooks may deny with the same status. */
const UNAUTHORIZED = 'cannot create resource';

/** Returns the result of a review that was admitted. */
export const admittedResult = (warnings: readonly string[]): ReviewResult =>
  warnings.some((text) => text.includes(RULE))
    ? { kind: 'answered' }
    : { kind: 'unanswered', why: 'the API server admits a Service without an answer of the webhook' };

/** Returns the result of a review that failed. Throws the error again if it is not about admission. */
export function failedResult(error: unknown): ReviewResult {
  if (!(error instanceof PortcullisError)) throw error;
  const { message: why, reason } = error;
  if (DENIED.test(why)) return { kind: 'answered' };
  if (FAILED.test(why)) return { kind: 'unanswered', why };
  if (reason === 'Rejected' || (reason === 'Forbidden' && !why.includes(UNAUTHORIZED)))
    return { kind: 'undecided', why };
  throw error;
}
