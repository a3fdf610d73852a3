/** An ECS instance as a Node's `spec.providerID` names it. Compare Nodes by these pairs, never by the text. */
export interface ProviderId {
  readonly regionId: string;
  readonly instanceId: string;
}

/** The forms in which one can be written; all are read, and Nodes keep what they have. */
export const PROVIDER_ID_FORMS = ['region.instance', 'alicloud://region.instance'] as const;
export type ProviderIdForm = (typeof PROVIDER_ID_FORMS)[number];

export const writtenProviderId = (id: ProviderId, form: ProviderIdForm): string =>
  form === 'region.instance' ? providerIdText(id) : `${SCHEME}${providerIdText(id)}`;

/** The form by which instances are compared, and the usual one to write: storage drivers and the existing controller read it. */
export const providerIdText = ({ regionId, instanceId }: ProviderId): string => `${regionId}.${instanceId}`;

/** Begins the provider IDs of machines that are no instances of this cloud; such Nodes count as excluded. */
export const HYBRID_PREFIX = 'ack-hybrid://';

const SCHEME = 'alicloud://';
const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;
const INSTANCE = /^i-[a-z0-9]+$/;
/** Characters; no ID is as long, and the cloud refuses a whole question for one that is too long. */
const LONGEST = 64;

/**
 * Reads every form ever issued: `<region>.<instance>`, with or without `alicloud://`, and the general shape of Kubernetes
 * `alicloud://<segments>/<region>/<instance>`. Absent for everything else, addresses and dotted names included.
 */
export function parseProviderId(text: string): ProviderId | undefined {
  const hasScheme = text.startsWith(SCHEME);
  const segments = text.slice(hasScheme ? SCHEME.length : 0).split('/');
  if (segments.length > 1 && !hasScheme) return undefined;
  const last = segments.at(-1) ?? '';
  const [regionId = '', instanceId = ''] = last.includes('.') ? last.split('.') : [segments.at(-2), last];
  if (regionId.length > LONGEST || instanceId.length > LONGEST) return undefined;
  return REGION.test(regionId) && INSTANCE.test(instanceId) ? { regionId, instanceId } : undefined;
}
