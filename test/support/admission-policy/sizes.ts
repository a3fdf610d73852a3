import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import { annotationField } from '../../../src/annotation/annotation-field-path.ts';
import { limits } from '../../../src/rules/limits.ts';
import { listenerQuota } from '../../../src/rules/listener-quota.ts';
import { portProtocol } from '../../../src/rules/port-protocol.ts';
import { WHOLE_NUMBER } from './values.ts';
import { literal } from './cel.ts';
import type { Validation } from './policy.ts';
import { messageExpression } from './message-expression.ts';

const keyOf = (option: OptionName): string => CATALOGUE[option].key;

const isServed = "(!has(p.protocol) || p.protocol in ['TCP', 'UDP'])";
const PROTOCOL: Validation = {
  expression: `object.spec.ports.all(p, ${isServed}) || (variables.wasOurs && oldObject.spec.ports.exists(p, !${isServed}))`,
  messageExpression: messageExpression(
    portProtocol,
    'spec.ports',
    { ports: [{ name: 'p', port: 80, protocol: 'SCTP', targetPort: 80, nodePort: 30_080 }] },
    { 'spec.ports[0].protocol': "'spec.ports'" },
  ),
};

const MOST_LISTENERS = 50;
const served = (side: 'object' | 'oldObject'): string => `size(${side}.spec.ports.filter(p, ${isServed}))`;
const LISTENERS: Validation = {
  expression: `variables.id != '' || variables.protocolPort != '' || ${served('object')} <= ${MOST_LISTENERS} || (variables.wasOurs && ${served('oldObject')} > ${MOST_LISTENERS})`,
  messageExpression: messageExpression(
    listenerQuota,
    'spec.ports',
    { ports: Array.from({ length: MOST_LISTENERS + 1 }, (_, index) => 1000 + index) },
    { [`Too many: ${MOST_LISTENERS + 1}`]: `'Too many: ' + string(${served('object')})` },
  ),
};

/** Returns the check of the number of tags. Allows lists with an empty or duplicate key, because the controller counts their tags differently. */
function mostTags(most: number, isReused: boolean): Validation {
  const keys = "variables.additionalResourceTags.split(',').map(t, t.split('=')[0].trim())";
  const isOf = `variables.id ${isReused ? '==' : '!='} ''`;
  const tags = Array.from({ length: most + 1 }, (_, index) => `k${index}=v`).join(',');
  return {
    expression: `${isOf} || (variables.wasOurs && variables.additionalResourceTags == variables.additionalResourceTagsBefore) || [${keys}].all(ks, size(ks) <= ${most} || ks.exists(k, k == '' || ks.indexOf(k) != ks.lastIndexOf(k)))`,
    messageExpression: messageExpression(
      limits,
      annotationField(keyOf('additionalResourceTags')),
      {
        annotations: {
          [keyOf('additionalResourceTags')]: tags,
          ...(isReused ? { [keyOf('id')]: 'lb-bp1example' } : {}),
        },
      },
      { [`Too many: ${most + 1}`]: `'Too many: ' + string(size(${keys}))` },
    ),
  };
}

const number = (option: OptionName): string => `int(variables.${option})`;
const isNumber = (option: OptionName, { min, max }: { readonly min: number; readonly max: number }): string =>
  `variables.${option}.matches(${literal(WHOLE_NUMBER)}) && ${number(option)} >= ${min} && ${number(option)} <= ${max}`;
const COUNT = 'size(object.spec.ports)';
const SHARED: Validation = {
  expression: `variables.chargeType != 'paybybandwidth' || variables.addressType == 'intranet' || variables.id != '' || variables.forwardPort != '' || (variables.wasOurs && variables.listenerBandwidth == variables.listenerBandwidthBefore) || !(${isNumber('listenerBandwidth', CATALOGUE.listenerBandwidth.value)} && ${isNumber('bandwidth', CATALOGUE.bandwidth.value)} && ${number('listenerBandwidth')} * ${COUNT} > ${number('bandwidth')})`,
  messageExpression: messageExpression(
    limits,
    annotationField(keyOf('listenerBandwidth')),
    {
      ports: [80, 443],
      annotations: {
        [keyOf('chargeType')]: 'paybybandwidth',
        [keyOf('bandwidth')]: '5000',
        [keyOf('listenerBandwidth')]: '4321',
      },
    },
    {
      '4321': `string(${number('listenerBandwidth')})`,
      '2500': `string(${number('bandwidth')} / ${COUNT})`,
      '2 listeners': `string(${COUNT}) + ' listeners'`,
      '5000': `string(${number('bandwidth')})`,
    },
  ),
};

/** The checks of portcullis-annotation-combinations that deny Services beyond a limit, or with a port that no listener can serve. */
export const SIZES: readonly Validation[] = [PROTOCOL, LISTENERS, mostTags(18, false), mostTags(19, true), SHARED];

/** The options that the limits read. */
export const SIZED: readonly OptionName[] = [
  'id',
  'protocolPort',
  'forwardPort',
  'additionalResourceTags',
  'chargeType',
  'addressType',
  'bandwidth',
  'listenerBandwidth',
];
