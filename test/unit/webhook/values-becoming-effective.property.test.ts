import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CATALOGUE, ENTRIES } from '../../../src/annotation/catalogue.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { denialOfFindings } from '../../../src/controller/service/evaluation/rule-evaluation.ts';
import type { Service, ServicePort } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import type { RuleResults } from '../../../src/rules/engine/rule-results.ts';
import { wantsLoadBalancer } from '../../../src/rules/engine/subject.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { aFacts, type FactsInput } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { annotated } from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const FACTS: FactsInput = { loadBalancers: { 'lb-1': { listeners: [{ port: 443, protocol: 'tcp' }] } } };

/** Returns the webhook's results for an update. */
const evaluated = (oldObject: Service, object: Service): RuleResults =>
  validate(readReview(aReview({ oldObject, object })), {
    facts: aFacts(FACTS),
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    expired: () => false,
  });

/** Returns whether the controller would deny the Service, and so sync nothing of it. */
const isDeniedLater = (service: Service): boolean =>
  denialOfFindings(service, parseAnnotations(service.metadata.annotations), { facts: aFacts(FACTS) }) !== undefined;

interface ServiceFields {
  readonly annotations: Readonly<Record<string, string>>;
  readonly ports?: readonly (number | ServicePort)[];
}
const serviceOf = ({ annotations, ports = [80, 443] }: ServiceFields): Service =>
  aService({ annotations: annotated(annotations), ports });

const UDP = { name: 'udp', port: 81, protocol: 'UDP', nodePort: 30_081 };

const { protocolPort, forwardPort, certId, id, forceOverrideListeners } = CATALOGUE;

/** The annotations that decide if other annotations are effective. */
const DECISIVE: Readonly<Record<string, readonly string[]>> = {
  [protocolPort.key]: ['http:80', 'https:443', 'http:80,https:443', 'http:81', 'udp:81', 'http:80,http:443'],
  [forwardPort.key]: ['80:443', '443:80'],
  [certId.key]: [certId.example],
  [id.key]: ['lb-1'],
  [forceOverrideListeners.key]: ['true'],
};
const pairsOf = (key: string, values: readonly string[]) => values.map((value) => [key, value] as const);
const anySetting = fc.oneof(
  fc.constantFrom(...Object.entries(DECISIVE).flatMap(([key, values]) => pairsOf(key, values))),
  fc.constantFrom(...ENTRIES.flatMap(([, { key, example }]) => pairsOf(key, ['bad value', example, 'on']))),
);
const anyPorts = fc.constantFrom<NonNullable<ServiceFields['ports']>>([80], [443], [80, 443], [80, UDP]);

/** A Service, and a version with changed annotations and ports. */
const anyUpdate = fc
  .record({
    settings: fc.array(anySetting, { maxLength: 5 }),
    edits: fc.array(anySetting, { minLength: 1, maxLength: 2 }),
    ports: anyPorts,
    further: fc.option(anyPorts),
  })
  .map(({ settings, edits, ports, further }) => {
    const annotations = Object.fromEntries(settings);
    const stored = aService({ annotations, ports });
    return [
      stored,
      aService({ annotations: { ...annotations, ...Object.fromEntries(edits) }, ports: further ?? ports }),
    ] as const;
  })
  .filter((services) => services.every(wantsLoadBalancer));

/** If the webhook admitted the update, the controller would deny the Service later. */
describe('an update that makes an old violation effective', () => {
  const rows: Readonly<
    Record<string, { readonly before: ServiceFields; readonly after: ServiceFields; readonly for: string }>
  > = {
    'is denied if a value without effect gets an effect': {
      before: { annotations: { 'cert-id': 'bad id!' } },
      after: { annotations: { 'cert-id': 'bad id!', 'protocol-port': 'https:443' } },
      for: 'annotation-value bad id!',
    },
    'is denied if a redirect becomes effective': {
      before: { annotations: { 'cert-id': 'cert-1', 'protocol-port': 'https:443', 'forward-port': '80:443' } },
      after: { annotations: { 'protocol-port': 'http:80', 'forward-port': '80:443' } },
      for: 'forward-port 80:443',
    },
    'is denied if an ignored entry becomes effective for an unsuitable port': {
      before: { annotations: { 'protocol-port': 'http:81' }, ports: [80] },
      after: { annotations: { 'protocol-port': 'http:81' }, ports: [80, UDP] },
      for: 'protocol-port http:81',
    },
  };
  for (const [title, { before, after, for: why }] of Object.entries(rows)) {
    it(title, () => {
      assert.deepEqual([serviceOf(before), serviceOf(after)].map(isDeniedLater), [false, true]);
      const { denials } = evaluated(serviceOf(before), serviceOf(after));
      assert.deepEqual(
        denials.map(({ rule, violation }) => `${rule.name} ${violation.value}`),
        [why],
      );
    });
  }

  it('is denied for any annotations and ports', () => {
    let met = 0;
    fc.assert(
      fc.property(anyUpdate, ([stored, wanted]) => {
        if (isDeniedLater(stored) || !isDeniedLater(wanted)) return;
        met += 1;
        assert.notEqual(evaluated(stored, wanted).denials.length, 0);
      }),
      { numRuns: 6_000, seed: 1 },
    );
    assert.ok(met > 1_000, `${met} updates of that kind`);
  });
});
