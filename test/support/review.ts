import type { KubernetesObject } from '../../src/base/objects.ts';

export interface ReviewSaid {
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
const optionsKindOf = ({ oldObject }: ReviewSaid): string =>
  oldObject === undefined ? 'CreateOptions' : 'UpdateOptions';

/** Returns the AdmissionReview of a Service or Node: an update if there is an old object, or else a creation. */
export function aReview(said: ReviewSaid): object {
  const { object, oldObject, subResource, fieldManager, group = '' } = said;
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
    userInfo: { username: said.username ?? 'kubernetes-admin', groups: said.groups ?? ['system:authenticated'] },
    object,
    oldObject: oldObject ?? null,
    dryRun: false,
    options: withoutAbsent({ kind: optionsKindOf(said), apiVersion: 'meta.k8s.io/v1', fieldManager }),
    ...(said.uid === undefined ? {} : { uid: said.uid }),
    ...(said.operation === undefined ? {} : { operation: said.operation }),
    ...(said.dryRun === undefined ? {} : { dryRun: said.dryRun }),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: withoutAbsent(request) };
}

/** Removes undefined values, as JSON does. Nested objects keep their identity. */
const withoutAbsent = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
