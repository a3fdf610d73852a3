import { PortcullisError } from '../base/errors.ts';
import type { NewObject } from '../kubernetes/cluster-reader.ts';
import { nlbAnnotation } from '../rules/nlb-annotation.ts';

/** The result of sending a trial Service to the API server, which shows whether the webhook works. */
export type TrialResult =
  | { readonly kind: 'answered' }
  /** The webhook did not answer: the API server admitted the Service without a warning, or the call of the webhook failed. */
  | { readonly kind: 'unanswered'; readonly why: string }
  /** Another webhook or an admission policy denied the Service first. */
  | { readonly kind: 'undecided'; readonly why: string };

/** An annotation of network load balancers. */
const ANNOTATION = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-zone-maps';

/** Returns the trial Service. The webhook warns about its annotation, whatever policies the cluster has. */
export const trialService = (namespace: string): NewObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'portcullis-status', namespace, annotations: { [ANNOTATION]: 'none' } },
  spec: { type: 'LoadBalancer', selector: { app: 'portcullis-status' }, ports: [{ port: 80 }] },
});

const RULE = `[${nlbAnnotation.name}]`;
const DENIED = /admission webhook "[^"]*\.portcullis\.io" denied/;
const FAILED = /failed calling webhook "[^"]*\.portcullis\.io"/;
/**
 * The text of a denial by the API server for a missing permission. The status is not enough, because other webhooks may deny with an equal status.
 */
const UNAUTHORIZED = 'cannot create resource';

/** Returns the result for a trial Service that the API server admitted. */
export const admittedResult = (warnings: readonly string[]): TrialResult =>
  warnings.some((text) => text.includes(RULE))
    ? { kind: 'answered' }
    : { kind: 'unanswered', why: 'the API server admits a Service without an answer of the webhook' };

/** Returns the result for a trial Service that the API server rejected. Throws the error again if its cause is not admission. */
export function failedResult(error: unknown): TrialResult {
  if (!(error instanceof PortcullisError)) throw error;
  const { message: why, reason } = error;
  if (DENIED.test(why)) return { kind: 'answered' };
  if (FAILED.test(why)) return { kind: 'unanswered', why };
  if (reason === 'Rejected' || (reason === 'Forbidden' && !why.includes(UNAUTHORIZED)))
    return { kind: 'undecided', why };
  throw error;
}
