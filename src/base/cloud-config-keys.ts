import { z } from 'zod';
import { NO_CLUSTER_ID } from './cluster-id.ts';
import { nearest } from './spelling-suggestion.ts';

/** A vSwitch for intranet load balancers. The file lists vSwitches in order of preference. */
export interface VSwitchChoice {
  /** The zone of the vSwitch. Undefined if the file names no zone. */
  readonly zoneId?: string;
  readonly vSwitchId: string;
}

/** The feature gates of the existing controller and their defaults. */
export const FEATURE_GATES = {
  IPv6DualStack: false,
  EndpointSlice: true,
  FilterServiceOnNodeChange: false,
  LoadBalancerTypeAnnotation: false,
} as const;
export type FeatureGates = Readonly<Record<keyof typeof FEATURE_GATES, boolean>>;

/** Returns `; did you mean …?` for a similar known word, or an empty text. */
export const meant = (word: string, known: Iterable<string>): string => {
  const guess = nearest(word, known);
  return guess === undefined ? '' : `; did you mean ${guess}?`;
};

const text = z.union([z.string(), z.number().transform(String)], 'expected text').transform((value) => value.trim());
const switchable = z.union(
  [z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })],
  'expected true or false',
);
const count = (max: number) => {
  const message = `expected a whole number from 1 to ${max}`;
  return z.coerce.number(message).int(message).min(1, message).max(max, message);
};
const id = (prefix: string) =>
  text.pipe(z.string().regex(new RegExp(`^${prefix}-[0-9A-Za-z-]+$`), `expected an id that begins with ${prefix}-`));

/** A printable text in standard base64. A newline at the end of the decoded text is dropped, because users often encode one by mistake. */
const base64 = text.transform((encoded, context) => {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8').trim();
  const isEncoding = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 === 0;
  if (isEncoding && /^[\x21-\x7e]+$/.test(decoded)) return decoded;
  context.addIssue('expected the key in standard base64: printf %s "$KEY" | base64');
  return z.NEVER;
});

/** A list of vSwitches: `vsw-1`, `zone:vsw-1`, `zoneA:vsw-1,zoneB:vsw-2`, or `:vsw-1,:vsw-2` without zones. */
const vSwitches = text.transform((value, context): readonly VSwitchChoice[] => {
  const choices = value.split(',').map((part) => part.split(':').map((half) => half.trim()));
  const read = choices.map(([first = '', second, ...rest]): VSwitchChoice | undefined => {
    const [zoneId, vSwitchId] = second === undefined ? ['', first] : [first, second];
    if (rest.length > 0 || !/^vsw-[0-9A-Za-z-]+$/.test(vSwitchId)) return undefined;
    return zoneId === '' ? { vSwitchId } : { zoneId, vSwitchId };
  });
  const known = read.filter((choice) => choice !== undefined);
  if (known.length < read.length) context.addIssue('expected vsw-…, or a comma-separated list of zone:vsw-…');
  else if (new Set(known.map(({ vSwitchId }) => vSwitchId)).size < known.length)
    context.addIssue('must contain each vSwitch once');
  return known;
});

const featureGates = text.transform((value, context): FeatureGates => {
  const gates: Record<string, boolean> = { ...FEATURE_GATES };
  for (const part of value.split(',').filter((each) => each.trim() !== '')) {
    const [gate = '', state = ''] = part.split('=').map((half) => half.trim());
    if (!Object.hasOwn(FEATURE_GATES, gate)) {
      context.addIssue(`unknown feature gate ${gate}${meant(gate, Object.keys(FEATURE_GATES))}`);
    } else if (state !== 'true' && state !== 'false') context.addIssue(`feature gate ${gate} must be true or false`);
    else gates[gate] = state === 'true';
  }
  return gates as FeatureGates;
});

/** The keys under `Global` of the cloud-config file, in the spelling of the existing controller. The parser ignores their case. */
export const GLOBAL = z.object({
  accessKeyID: base64.optional(),
  accessKeySecret: base64.optional(),
  uid: text.optional(),
  clusterID: text.default(NO_CLUSTER_ID),
  kubernetesClusterTag: text.optional(),
  region: text.pipe(z.string().regex(/^[a-z]{2}-[a-z0-9-]+$/, 'expected a region such as cn-hangzhou')).optional(),
  vpcid: id('vpc').optional(),
  vswitchid: vSwitches.default([]),
  zoneid: text.optional(),
  resourceGroupID: id('rg').optional(),
  routeTableIDs: text
    .transform((value) =>
      value
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    )
    .default([]),
  disablePublicSLB: switchable.default(false),
  serviceBackendType: text
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(['ecs', 'eni'], 'expected ecs or eni'))
    .default('ecs'),
  nodeMonitorPeriod: count(86_400).optional(),
  nodeAddrSyncPeriod: count(86_400).optional(),
  serviceMaxConcurrentReconciles: count(100).default(3),
  nodeMaxConcurrentReconciles: count(100).optional(),
  routeMaxConcurrentReconciles: count(100).optional(),
  privateZoneId: text.optional(),
  privateZoneRecordTTL: count(86_400).optional(),
  featureGates: featureGates.default(FEATURE_GATES),
});
export type Global = z.output<typeof GLOBAL>;
