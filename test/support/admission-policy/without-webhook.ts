import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import { CHANGES } from './changes.ts';
import { COMBINATIONS, COMBINED } from './combinations.ts';
import type { Policy } from './policy.ts';
import { BOTH_SIDES, SERVICES, ingressOf, valuesOf } from './service.ts';
import { SIZED, SIZES } from './sizes.ts';
import { ANNOTATION_VALUES } from './values.ts';

const KINDS = "['tcp', 'udp', 'http', 'https']";
/** The entries of `protocol-port` for a port, by protocol. */
const ENTRIES_OF = `${KINDS}.filter(k, (k + ':' + string(p.port)) in variables.protocolPort.split(','))`;
const OPTIONS = new Set<OptionName>(['id', 'forceOverrideListeners', 'protocolPort', ...COMBINED, ...SIZED]);

const COMBINATION_POLICY: Policy = {
  name: 'portcullis-annotation-combinations',
  description: 'Denies invalid combinations of annotations and ports. For clusters without the webhook.',
  ...SERVICES,
  variables: [
    ...BOTH_SIDES,
    ...valuesOf(Object.keys(CATALOGUE).filter((option) => OPTIONS.has(option as OptionName)) as OptionName[]),
    { name: 'isSettled', expression: `variables.id != '' || (${ingressOf('object')}).size() > 0` },
    {
      // Known protocols of the listeners. Empty for a reused load balancer without override.
      name: 'protocols',
      expression: `variables.id != '' && variables.forceOverrideListeners != 'true' ? [] : variables.protocolPort == '' ? object.spec.ports.filter(p, p.protocol in ['TCP', 'UDP']).map(p, p.protocol.lowerAscii()) : object.spec.ports.filter(p, p.protocol in ['TCP', 'UDP'] && object.spec.ports.filter(o, o.port == p.port).size() == 1 && ${ENTRIES_OF}.size() == 1).map(p, ${ENTRIES_OF}[0])`,
    },
  ],
  validations: [...COMBINATIONS, ...SIZES],
};

/**
 * Rules as policies, which `make generate` writes for clusters without the webhook. Each policy reports only one violation, and none is stricter than
 * its rules.
 */
export const WITHOUT_WEBHOOK: readonly Policy[] = [ANNOTATION_VALUES, COMBINATION_POLICY, CHANGES];
