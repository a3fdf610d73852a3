/** The ECS instance that a Node's `spec.providerID` names. Compare the fields instead of the text, because the text has several forms. */
export interface ProviderId {
  readonly regionId: string;
  readonly instanceId: string;
}

/** The forms of a provider ID that the controller can write. The controller reads all forms and never changes an existing provider ID. */
export const PROVIDER_ID_FORMS = ['region.instance', 'alicloud://region.instance'] as const;
export type ProviderIdForm = (typeof PROVIDER_ID_FORMS)[number];

/** Returns a provider ID in the form that the flag `--provider-id-form` selects. */
export const writtenProviderId = (id: ProviderId, form: ProviderIdForm): string =>
  form === 'region.instance' ? providerIdText(id) : `${SCHEME}${providerIdText(id)}`;

/** Returns the provider ID in the form `<region>.<instance>`, which storage drivers and the Alibaba Cloud Controller Manager read. */
export const providerIdText = ({ regionId, instanceId }: ProviderId): string => `${regionId}.${instanceId}`;

/** The prefix in provider IDs of machines outside the cloud. The controller treats the Nodes of such machines as excluded. */
export const HYBRID_PREFIX = 'ack-hybrid://';

const SCHEME = 'alicloud://';
const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;
const INSTANCE = /^i-[a-z0-9]+$/;
/** The maximum length of an id, in characters. A longer id would make the cloud reject a call for many Nodes. */
const LONGEST = 64;

/**
 * Parses every form of a provider ID: `<region>.<instance>` with or without `alicloud://`, and the Kubernetes form
 * `alicloud://<segments>/<region>/<instance>`. Undefined for any other text.
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
