import { CATALOGUE, ENTRIES, type OptionName } from '../../src/annotation/catalogue.ts';
import { suffixOf } from '../../src/annotation/keys.ts';
import { annotationField } from '../../src/annotation/field.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';

const NONE: readonly Fault[] = [];

/** What is the load balancer's own, and applied to a reused one as well; of its tags a rule of their own tells. */
const ATTRIBUTES: readonly OptionName[] = ENTRIES.filter(
  ([option, { appliesTo, onReused }]) =>
    appliesTo.includes('load-balancer') && onReused === 'applied' && option !== 'additionalResourceTags',
).map(([option]) => option);

export const reuseAttribute: Rule = {
  name: 'reuse-attribute',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  warnsOnly: true,
  doc: 'Annotations that change a reused load balancer itself are pointed out, as it is not that of the Service alone: its name, its protection, and what is paid for it. They count with and without force-override-listeners.',
  since: '0.1.0',
  examples: {
    given: {
      said: 'somebody has made lb-1, with a listener for port 80',
      loadBalancers: { 'lb-1': { owner: 'nobody', listeners: [{ port: 80, protocol: 'tcp' }] } },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-delete-protection: "off"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
`,
  },
  check: (subject) => {
    const { id } = subject.parsed.options;
    return id === undefined ? NONE : ATTRIBUTES.flatMap((option) => attributeFault(option, id, subject));
  },
};

function attributeFault(option: OptionName, id: string, subject: ServiceSubject): readonly Fault[] {
  const { object, parsed, before } = subject;
  const value = parsed.options[option];
  const was = before?.parsed.options;
  // Once it is done there is nothing to be warned of.
  if (value === undefined || (was?.id === id && was[option] === value)) return NONE;
  const key = parsed.keys.get(option) ?? CATALOGUE[option].key;
  return [
    {
      field: annotationField(key),
      found: object.metadata.annotations?.[key] ?? '',
      allowed: `what load balancer ${id} has, because its ${suffixOf(CATALOGUE[option].key)} is changed for everybody who uses it`,
      fix: 'remove it, unless that is meant',
      advice: true,
    },
  ];
}
