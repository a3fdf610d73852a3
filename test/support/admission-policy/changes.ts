import { CATALOGUE, ENTRIES, type OptionName } from '../../../src/annotation/catalogue.ts';
import { annotationField } from '../../../src/annotation/annotation-field-path.ts';
import { immutableAnnotation } from '../../../src/rules/immutable-annotation.ts';
import { oneWayChange } from '../../../src/rules/one-way-change.ts';
import type { Rule } from '../../../src/rules/rule.ts';
import { WHOLE_NUMBER } from './values.ts';
import { literal, type Variable } from './cel.ts';
import type { Policy, Validation } from './policy.ts';
import { BOTH_SIDES, SERVICES, ingressOf, valuesOf, wordsOf } from './service.ts';
import { messageExpression, shown, type Sample } from './message-expression.ts';

type Options = Partial<Record<OptionName, string>>;
const annotated = (options: Options) => ({
  annotations: Object.fromEntries(
    Object.entries(options).map(([option, value]) => [CATALOGUE[option as OptionName].key, value]),
  ),
});

/** Returns a check that denies a change if all expressions of `isSo` are true, with the rule's message about the sample. */
const denial = (
  isSo: readonly string[],
  rule: Rule,
  option: OptionName,
  [before, after]: readonly [Options, Options],
  { inPlaceOf, address }: Pick<Sample, 'address'> & { readonly inPlaceOf?: Readonly<Record<string, string>> } = {},
): Validation => ({
  expression: `!(variables.had && ${isSo.join(' && ')})`,
  messageExpression: messageExpression(
    rule,
    annotationField(CATALOGUE[option].key),
    { ...annotated(after), before: annotated(before), ...(address === undefined ? {} : { address }) },
    inPlaceOf,
  ),
});

/** The condition that the Service has an owned load balancer with one published address. */
const SHOWS_OWN = "variables.id == '' && variables.idBefore == '' && !variables.isElsewhere";

const isIn = (range: string): string => `cidr(${literal(range)}).containsIP(variables.addresses[0])`;
const IS_PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(isIn).join(' || ');
const IP_VERSION = "(ip(variables.addresses[0]).family() == 6 ? 'ipv6' : 'ipv4')";

/** The denial of a change from private to public. Only a private address proves the current type, because a VPC may have a public range. */
const ADDRESS_TYPE = denial(
  [SHOWS_OWN, "variables.addressType == 'internet' && variables.addressTypeBefore == 'intranet'", `(${IS_PRIVATE})`],
  immutableAnnotation,
  'addressType',
  [{ addressType: 'intranet' }, { addressType: 'internet' }],
  { address: '10.1.0.20' },
);

const IP_VERSIONS = wordsOf('ipVersion').flatMap((now) =>
  wordsOf('ipVersion')
    .filter((was) => was !== now)
    .map((was) =>
      denial(
        [
          SHOWS_OWN,
          `variables.ipVersion == ${literal(now)}`,
          `variables.ipVersionBefore in ${was === 'ipv4' ? `['', ${literal(was)}]` : `[${literal(was)}]`}`,
          `${IP_VERSION} == ${literal(was)}`,
        ],
        immutableAnnotation,
        'ipVersion',
        [{ ipVersion: was }, { ipVersion: now }],
      ),
    ),
);

const IP = denial(
  [
    SHOWS_OWN,
    "variables.ip != '' && variables.ipBefore != '' && variables.ip != variables.ipBefore",
    'isIP(variables.ip) && isIP(variables.ipBefore) && !(variables.ip in variables.addresses)',
  ],
  immutableAnnotation,
  'ip',
  [{ ip: '192.0.2.7' }, { ip: '192.0.2.8' }],
  { inPlaceOf: { '192.0.2.7': shown('variables.ipBefore'), '192.0.2.8': shown('variables.ip') } },
);

/** The denials for the other create-only options. A resource group is omitted, because users can move load balancers to another group. */
const OTHERS = ENTRIES.flatMap(([option, { mutability, value }]) => {
  if (mutability.kind !== 'create-only' || option === 'resourceGroupId') return [];
  const pattern = value.kind === 'text' ? value.pattern : undefined;
  const [was, now] = pattern === undefined ? ['', ''] : ['cn-one-a', 'cn-other-b'];
  if (value.kind === 'enum' && option === 'networkType') {
    return wordsOf(option).flatMap((word) =>
      wordsOf(option)
        .filter((other) => other !== word)
        .map((other) =>
          denial(
            [`variables.${option} == ${literal(word)}`, `variables.${option}Before == ${literal(other)}`],
            immutableAnnotation,
            option,
            [{ [option]: other }, { [option]: word }],
          ),
        ),
    );
  }
  if (pattern === undefined) return [];
  const isRead = (side: string): string => `variables.${option}${side}.matches(${literal(pattern.source)})`;
  return [
    denial(
      [isRead(''), isRead('Before'), `variables.${option} != variables.${option}Before`],
      immutableAnnotation,
      option,
      [{ [option]: was }, { [option]: now }],
      { inPlaceOf: { [was]: shown(`variables.${option}Before`), [now]: shown(`variables.${option}`) } },
    ),
  ];
});

const HASHES = ['sch', 'tch', 'qch'];
const ONE_WAY: readonly Validation[] = [
  denial(
    ["variables.instanceChargeType == 'PayBySpec' && variables.instanceChargeTypeBefore == 'PayByCLCU'"],
    oneWayChange,
    'instanceChargeType',
    [{ instanceChargeType: 'PayByCLCU' }, { instanceChargeType: 'PayBySpec' }],
  ),
  denial(
    [
      "variables.chargeType == 'paybybandwidth' && variables.bandwidth != variables.bandwidthBefore",
      `variables.bandwidth.matches(${literal(WHOLE_NUMBER)}) && int(variables.bandwidth) > 5000 && int(variables.bandwidth) <= ${CATALOGUE.bandwidth.value.max}`,
      // Without an earlier value, the load balancer may have this value since its creation.
      `variables.bandwidthBefore.matches(${literal(WHOLE_NUMBER)}) && int(variables.bandwidthBefore) >= ${CATALOGUE.bandwidth.value.min} && int(variables.bandwidthBefore) <= ${CATALOGUE.bandwidth.value.max} && int(variables.bandwidthBefore) != int(variables.bandwidth)`,
    ],
    oneWayChange,
    'bandwidth',
    [{ bandwidth: '5000' }, { chargeType: 'paybybandwidth', bandwidth: '5001' }],
    { inPlaceOf: { '5001': 'string(int(variables.bandwidth))' } },
  ),
  ...HASHES.map((hash) =>
    denial(
      [
        `variables.scheduler == ${literal(hash)} && variables.schedulerBefore in ['', 'rr', 'wrr']`,
        "variables.id == '' && variables.idBefore == '' && variables.protocolPort == variables.protocolPortBefore",
        'variables.staying.size() > 0',
      ],
      oneWayChange,
      'scheduler',
      [{ scheduler: 'wrr' }, { scheduler: hash }],
      { inPlaceOf: { 'wrr or rr': "'rr or wrr'", '(port 80)': "'(port ' + string(variables.staying[0]) + ')'" } },
    ),
  ),
];

const OPTIONS: readonly OptionName[] = [
  'id',
  'externalIpType',
  'addressType',
  'ipVersion',
  'ip',
  'networkType',
  'masterZoneid',
  'slaveZoneid',
  'instanceChargeType',
  'chargeType',
  'bandwidth',
  'scheduler',
  'protocolPort',
];

const VARIABLES: readonly Variable[] = [
  { name: 'ingress', expression: `oldObject != null ? (${ingressOf('oldObject')}) : []` },
  { name: 'had', expression: 'variables.wasOurs && variables.ingress.size() > 0' },
  { name: 'addresses', expression: "variables.ingress.filter(i, has(i.ip) && i.ip != '').map(i, i.ip)" },
  {
    name: 'isElsewhere',
    expression:
      "variables.addresses.size() != 1 || variables.ingress.size() != 1 || variables.externalIpType != '' || variables.externalIpTypeBefore != ''",
  },
  {
    name: 'staying',
    expression:
      "oldObject == null ? [] : object.spec.ports.filter(p, p.protocol in ['TCP', 'UDP'] && oldObject.spec.ports.exists(o, o.port == p.port && o.protocol == p.protocol)).map(p, p.port)",
  },
];

/** The policy portcullis-annotation-changes, which `make generate` writes for clusters without the webhook. */
export const CHANGES: Policy = {
  name: 'portcullis-annotation-changes',
  description:
    'Denies changes of attributes that are fixed at the creation of a load balancer. For clusters without the webhook.',
  ...SERVICES,
  variables: [...BOTH_SIDES, ...valuesOf(OPTIONS), ...VARIABLES],
  validations: [ADDRESS_TYPE, ...IP_VERSIONS, IP, ...OTHERS, ...ONE_WAY],
};
