/** The ECS instance that a Node's `spec.providerID` names. Compare Nodes by these values, never by the text. */
export interface ProviderId {
  readonly regionId: string;
  readonly instanceId: string;
}

/** The forms that the controller can write. It reads all forms, and existing provider IDs stay. */
export const PROVIDER_ID_FORMS = ['region.instance', 'alicloud://region.instance'] as const;
export type ProviderIdForm = (typeof PROVIDER_ID_FORMS)[number];

export const writtenProviderId = (id: ProviderId, form: ProviderIdForm): string =>
  form === 'region.instance' ? providerIdText(id) : `${SCHEME}${providerIdText(id)}`;

/** Returns the form for comparisons, which is also the default for writes. Storage drivers and the existing controller read this form. */
export const providerIdText = ({ regionId, instanceId }: ProviderId): string => `${regionId}.${instanceId}`;

/** The prefix of provider IDs of machines outside this cloud. Such Nodes count as excluded. */
export const HYBRID_PREFIX = 'ack-hybrid://';

const SCHEME = 'alicloud://';
const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;
const INSTANCE = /^i-[a-z0-9]+$/;
/** The longest id in characters. A longer id makes the cloud reject the whole call. */
const LONGEST = 64;

/**
 * Parses every form ever issued: `<region>.<instance>`, with or without `alicloud://`, and the Kubernetes form
 * `alicloud://<segments>/<region>/<instance>`. Returns undefined for other texts, also for addresses and dotted names.
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
