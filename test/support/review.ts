import type { KubernetesObject } from '../../src/base/kubernetes-objects.ts';

/** The parts of an AdmissionReview in which tests differ. */
export interface ReviewInput {
  readonly uid?: string;
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly object: object | null;
  readonly oldObject?: object;
  readonly subResource?: string;
  /** API group of the kind. Defaults to the core group. */
  readonly group?: string;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly username?: string;
  readonly groups?: readonly string[];
}

interface Meta {
  readonly kind?: string;
  readonly metadata?: Partial<KubernetesObject['metadata']>;
}

/** The API server sends UpdateOptions for a patch too. */
const optionsKindOf = ({ oldObject }: ReviewInput): string =>
  oldObject === undefined ? 'CreateOptions' : 'UpdateOptions';

/** Returns the AdmissionReview of a Service or Node: an update if there is an old object, or else a creation. */
export function aReview(input: ReviewInput): object {
  const { object, oldObject, subResource, fieldManager, group = '' } = input;
  const { kind = 'Service', metadata = {} } = (object ?? oldObject ?? {}) as Meta;
  const { name, namespace } = metadata;
  const resource = { group, version: 'v1', resource: `${kind.toLowerCase()}s` };
  const request = {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group, version: 'v1', kind },
    resource,
    subResource,
    requestKind: { group, version: 'v1', kind },
    requestResource: resource,
    name,
    namespace,
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    userInfo: { username: input.username ?? 'kubernetes-admin', groups: input.groups ?? ['system:authenticated'] },
    object,
    oldObject: oldObject ?? null,
    dryRun: false,
    options: withoutAbsent({ kind: optionsKindOf(input), apiVersion: 'meta.k8s.io/v1', fieldManager }),
    ...(input.uid === undefined ? {} : { uid: input.uid }),
    ...(input.operation === undefined ? {} : { operation: input.operation }),
    ...(input.dryRun === undefined ? {} : { dryRun: input.dryRun }),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: withoutAbsent(request) };
}

/** Removes undefined values, as JSON does. Nested objects keep their identity. */
const withoutAbsent = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
