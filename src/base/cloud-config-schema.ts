import { z } from 'zod';
import { NO_CLUSTER_ID } from './default-cluster-id.ts';
import { nearest } from './spelling-suggestion.ts';

/** A vSwitch for intranet load balancers. The file lists vSwitches in order of preference. */
export interface VSwitchChoice {
  /** The zone of the vSwitch. Undefined if the file names no zone. */
  readonly zoneId?: string;
  readonly vSwitchId: string;
}

/** The feature gates of the Alibaba Cloud Controller Manager and their defaults. Any other gate is an error. */
export const FEATURE_GATES = {
  IPv6DualStack: false,
  EndpointSlice: true,
  FilterServiceOnNodeChange: false,
  LoadBalancerTypeAnnotation: false,
} as const;
export type FeatureGates = Readonly<Record<keyof typeof FEATURE_GATES, boolean>>;

/** Returns `; did you mean …?` for a similar known word, or an empty text. */
export const didYouMean = (word: string, known: Iterable<string>): string => {
  const guess = nearest(word, known);
  return guess === undefined ? '' : `; did you mean ${guess}?`;
};

/** Converts a number to text, because YAML reads unquoted digits as numbers. Removes white space around a text. */
const asText = (input: unknown): unknown => {
  if (typeof input === 'number') return String(input);
  return typeof input === 'string' ? input.trim() : input;
};

const text = z.preprocess(asText, z.string('expected text'));
const matching = (pattern: RegExp, message: string) => z.preprocess(asText, z.string(message).regex(pattern, message));
const id = (prefix: string) =>
  matching(new RegExp(`^${prefix}-[0-9A-Za-z-]+$`), `expected an id that begins with ${prefix}-`);

const SWITCHES: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const switchable = z.preprocess(
  (input) => SWITCHES.get(typeof input === 'string' ? input.trim().toLowerCase() : input) ?? input,
  z.boolean('expected true or false'),
);

const count = (most: number) => {
  const message = `expected a whole number from 1 to ${most}`;
  return z.preprocess(
    (input) => (typeof input === 'string' && input.trim() !== '' ? Number(input) : input),
    z.int(message).min(1, message).max(most, message),
  );
};

const NO_KEY = 'expected the key in standard base64: printf %s "$KEY" | base64';
/** A printable text in standard base64. White space around the decoded text is dropped, because users often encode a newline by mistake. */
const base64 = matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, NO_KEY).transform(
  (encoded, context) => {
    const decoded = Buffer.from(encoded, 'base64').toString('utf8').trim();
    if (/^[\x21-\x7e]+$/.test(decoded)) return decoded;
    context.addIssue(NO_KEY);
    return z.NEVER;
  },
);

const VSWITCH = String.raw`(?:[^:,]*:)?\s*vsw-[0-9A-Za-z-]+\s*`;
/** A comma-separated list of vSwitches, such as `vsw-1,zoneB:vsw-2`. The zone and the colon of each entry are optional. */
const vSwitches = matching(
  new RegExp(`^${VSWITCH}(?:,${VSWITCH})*$`),
  'expected vsw-… or zone:vsw-…, or a comma-separated list of such entries',
).transform((value, context): readonly VSwitchChoice[] => {
  const choices = value.split(',').map((part): VSwitchChoice => {
    const [vSwitchId = '', zoneId = ''] = part
      .split(':')
      .map((half) => half.trim())
      .reverse();
    return zoneId === '' ? { vSwitchId } : { zoneId, vSwitchId };
  });
  if (new Set(choices.map(({ vSwitchId }) => vSwitchId)).size < choices.length)
    context.addIssue('must contain each vSwitch once');
  return choices;
});

const featureGates = text.transform((value, context): FeatureGates => {
  const gates: Record<string, boolean> = { ...FEATURE_GATES };
  for (const part of value.split(',').filter((each) => each.trim() !== '')) {
    const [gate = '', state = ''] = part.split('=').map((half) => half.trim());
    if (!Object.hasOwn(FEATURE_GATES, gate)) {
      context.addIssue(`unknown feature gate ${gate}${didYouMean(gate, Object.keys(FEATURE_GATES))}`);
    } else if (state !== 'true' && state !== 'false') context.addIssue(`feature gate ${gate} must be true or false`);
    else gates[gate] = state === 'true';
  }
  return gates as FeatureGates;
});

const WITHOUT_EFFECT = 'Accepted without effect.';

/** The keys under `Global` of the cloud-config file, in the spelling of the Alibaba Cloud Controller Manager. The parser ignores the case of keys. */
export const GLOBAL = z.strictObject({
  accessKeyID: base64
    .optional()
    .describe('The id of an access key, in base64. A Kubernetes Secret is safer than this file.'),
  accessKeySecret: base64.optional().describe('The secret of the access key, in base64.'),
  uid: text.optional().describe(WITHOUT_EFFECT),
  clusterID: text
    .default(NO_CLUSTER_ID)
    .describe('The name of this cluster in the cloud. Never change it once it is set.'),
  kubernetesClusterTag: text.optional().describe(WITHOUT_EFFECT),
  region: matching(/^[a-z]{2}-[a-z0-9-]+$/, 'expected a region such as cn-hangzhou')
    .optional()
    .describe("The region of the cluster. If absent, that of the controller's instance."),
  vpcid: id('vpc').optional().describe("The VPC of the cluster. If absent, that of the controller's instance."),
  vswitchid: vSwitches
    .default([])
    .describe('The vSwitches for private load balancers: vsw-… or zone:vsw-…, joined by commas.'),
  zoneid: text.optional().describe(WITHOUT_EFFECT),
  resourceGroupID: id('rg').optional().describe('The resource group of load balancers whose Service names none.'),
  routeTableIDs: text
    .transform((value) =>
      value
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    )
    .default([])
    .describe('The route tables, joined by commas. If absent, the only route table of the VPC.'),
  disablePublicSLB: switchable.default(false).describe('true forbids load balancers on the internet.'),
  serviceBackendType: z
    .preprocess(
      (input) => (typeof input === 'string' ? input.trim().toLowerCase() : input),
      z.enum(['ecs', 'eni'], 'expected ecs or eni'),
    )
    .default('ecs')
    .describe('The backends of Services without the annotation backend-type. ecs: Nodes. eni: pods.'),
  nodeMonitorPeriod: count(86_400).optional().describe(WITHOUT_EFFECT),
  nodeAddrSyncPeriod: count(86_400).optional().describe(WITHOUT_EFFECT),
  serviceMaxConcurrentReconciles: count(100)
    .default(3)
    .describe('The number of Services that the controller syncs at once.'),
  nodeMaxConcurrentReconciles: count(100).optional().describe(WITHOUT_EFFECT),
  routeMaxConcurrentReconciles: count(100).optional().describe(WITHOUT_EFFECT),
  privateZoneId: text.optional().describe(WITHOUT_EFFECT),
  privateZoneRecordTTL: count(86_400).optional().describe(WITHOUT_EFFECT),
  featureGates: featureGates
    .default(FEATURE_GATES)
    .describe(`Feature gates as GATE=true or GATE=false, joined by commas: ${Object.keys(FEATURE_GATES).join(', ')}.`),
});
export type Global = z.output<typeof GLOBAL>;

/** The schema of the cloud-config file, for the parser and for the JSON Schema of editors. Editors read the property `$schema`. */
export const CLOUD_CONFIG = z.strictObject({ $schema: z.string().optional(), Global: GLOBAL });
