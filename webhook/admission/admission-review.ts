import { z } from 'zod';
import { PortcullisError } from '../../src/base/errors.ts';

const VERSION = 'admission.k8s.io/v1';

/** A list of strings, checked only up to the first wrong entry, because a zod array could create millions of issues. */
const Texts = z.custom<readonly string[]>(
  (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
  'expected a list of strings',
);
/** A string that the response does not require. A value of a wrong type counts as empty. */
const Text = z.string().catch('');

/** The request of a review. Requires only UID, kind and operation, because an error passes the object unchecked if `failurePolicy` is `Ignore`. */
const Request = z.object({
  uid: z.string().min(1).max(256),
  kind: z.object({ group: Text, kind: z.string() }),
  subResource: Text,
  name: Text,
  namespace: Text,
  operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
  userInfo: z.object({ username: Text, groups: Texts.catch([]) }).catch({ username: '', groups: [] }),
  object: z.unknown().optional(),
  oldObject: z.unknown().optional(),
  options: z.unknown().optional(),
  dryRun: z.boolean().catch(false),
});

const Review = z.object({ apiVersion: z.literal(VERSION), kind: z.literal('AdmissionReview'), request: Request });
const Version = z.object({ apiVersion: z.string() });

/** The admission request of the API server. Its `object` and `oldObject` are neither copied nor checked here. */
export type AdmissionRequest = Readonly<z.output<typeof Request>>;

/** A cause in the Status of a denial: one violation. */
export interface StatusCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** The `meta/v1` Status of a denial. */
export interface Status {
  readonly status: 'Failure';
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: {
    readonly group: string;
    readonly kind: string;
    readonly name: string;
    readonly causes: readonly StatusCause[];
  };
}

/** The response before the server adds the UID and encodes the patch. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status?: Status;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** JSON Patch operations; undefined if nothing changes. */
  readonly patch?: readonly PatchOperation[];
}

/** An operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The body of a response to the API server. */
export interface AdmissionReview {
  readonly apiVersion: typeof VERSION;
  readonly kind: 'AdmissionReview';
  readonly response: Omit<AdmissionResponse, 'patch'> & {
    readonly uid: string;
    readonly patchType?: 'JSONPatch';
    /** The JSON Patch operations in Base64. */
    readonly patch?: string;
  };
}

/** The maximum numbers of zod issues and of characters in the error about an invalid body. */
const MOST_ISSUES = 5;
const LONGEST_ISSUES = 500;

/** Returns the first issues of zod as one line. */
const issuesOf = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`)
    .join('; ')
    .slice(0, LONGEST_ISSUES);

/** Returns the request in the parsed body of a review. Throws `Invalid` if the body is not a valid AdmissionReview. */
export function readReview(body: unknown): AdmissionRequest {
  const review = Review.safeParse(body);
  if (review.success) return review.data.request;
  const version = Version.safeParse(body);
  if (version.success && version.data.apiVersion !== VERSION) {
    throw new PortcullisError(
      'Invalid',
      `AdmissionReview version ${JSON.stringify(version.data.apiVersion.slice(0, 80))} is not supported, only ${VERSION}: set admissionReviewVersions of the webhook configuration to ["v1"]`,
    );
  }
  throw new PortcullisError('Invalid', `the body is not an AdmissionReview with a request: ${issuesOf(review.error)}`);
}

/** Returns the AdmissionReview with which the server answers a request. */
export function answerTo(uid: string, { patch, ...answer }: AdmissionResponse): AdmissionReview {
  const patched =
    patch === undefined || patch.length === 0
      ? {}
      : { patchType: 'JSONPatch' as const, patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return { apiVersion: VERSION, kind: 'AdmissionReview', response: { uid, ...answer, ...patched } };
}
