import assert from 'node:assert/strict';
import { fileFacts } from '../../../src/lint/inventory-facts.ts';
import { lint } from '../../../src/lint/lint.ts';
import { storedIn } from '../../../src/lint/stored-objects.ts';
import { fieldOf } from '../../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../../src/rules/engine/message.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import type { Examples } from '../../../src/rules/rule.ts';
import {
  exampleServices,
  evaluatedExample,
  storedBefore,
  wholeExample,
  type Exemplified,
} from '../../support/example.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';

const NOW = Date.parse('2026-01-02T03:04:06Z');

/** Returns the webhook's findings for an example: level, field and message. */
function webhookFindings(example: Exemplified, which: 'wrong' | 'right'): readonly string[] {
  const { denials, warnings } = evaluatedExample(example, which);
  return [
    ...denials.map((finding) => `error ${fieldOf(finding)}: ${violationMessage(finding)}`),
    ...warnings.map((finding) => `warning ${fieldOf(finding)}: ${violationMessage(finding)}`),
  ];
}

/** Returns the findings of `lint` for the example as files. */
function linted({ kind, examples }: Exemplified, which: 'wrong' | 'right'): readonly string[] {
  const stored = storedBefore(kind, examples);
  const clbs = Object.entries(examples.cloud?.loadBalancers ?? {}).map(([id, status]) => aClb(id, status));
  const known = [aCloudInventory(examples.cloud?.cluster), ...clbs, ...exampleServices(examples)];
  const source = (items: readonly object[]) => ({
    name: 'x.json',
    text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
  const { findings } = lint([source([wholeExample(kind, examples[which])])], {
    namespace: 'default',
    facts: fileFacts(source(known), { now: () => NOW }),
    ...(stored === undefined ? {} : { stored: storedIn(source([stored]), 'default') }),
  });
  return findings.map(({ level, field, message }) => `${level} ${field}: ${message}`);
}

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const CLASS = 'service.beta.kubernetes.io/class';

/** Returns a Service that reuses `lb-1` with its own listeners. */
const reusing = (ports: readonly number[], annotations: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({
    metadata: {
      annotations: { [`${KEY}id`]: 'lb-1', [`${KEY}force-override-listeners`]: 'true', ...annotations },
      finalizers: ['service.k8s.alibaba/resources'],
    },
    spec: { ports: ports.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' })) },
  });
const onOne = (ports: readonly number[], others: readonly number[] = []): NonNullable<Examples['cloud']> => {
  const own = ports.map((port) => ({ port, protocol: 'tcp', service: 'shop/web' }) as const);
  const foreign = others.map((port) => ({ port, protocol: 'tcp' }) as const);
  return { description: '', loadBalancers: { 'lb-1': { listeners: [...own, ...foreign] } } };
};
const from = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => first + at);

/** Examples whose findings depend on the owners of the listeners. */
const LISTENERS: Readonly<Record<string, Examples>> = {
  'of a port with a listener of the Service': { cloud: onOne([80], [81]), wrong: reusing([81]), right: reusing([80]) },
  'of an update that keeps a port with a listener': {
    cloud: onOne([80], [81]),
    before: reusing([80]),
    wrong: reusing([80, 81]),
    right: reusing([80]),
  },
  'of an update that replaces ports at the quota of listeners': {
    cloud: onOne(from(1_000, 50)),
    before: reusing(from(1_000, 50)),
    wrong: reusing(from(1_000, 51)),
    right: reusing(from(1_005, 50)),
  },
  'of a Service that changes back from another class': {
    cloud: onOne([80]),
    before: reusing([80], { [CLASS]: 'other' }),
    wrong: reusing([80], { [CLASS]: '', [`${KEY}id`]: 'lb-2' }),
    right: reusing([80], { [CLASS]: '' }),
  },
};

/** A difference between lint and the webhook would let a manifest pass the pipeline and fail at the deployment. */
describe('lint and the webhook', () => {
  for (const rule of [...SERVICE_RULES, ...NODE_RULES]) {
    it(`return the same findings of the rule ${rule.name}`, () => {
      assert.notEqual(linted(rule, 'wrong').length, 0);
      for (const which of ['wrong', 'right'] as const)
        assert.deepEqual(linted(rule, which).toSorted(), webhookFindings(rule, which).toSorted());
    });
  }

  for (const [title, examples] of Object.entries(LISTENERS)) {
    it(`return the same findings ${title}`, () => {
      const example = { kind: 'Service', examples };
      assert.match(linted(example, 'wrong').join('\n'), /^error /m);
      assert.doesNotMatch(linted(example, 'right').join('\n'), /^error /m);
      for (const which of ['wrong', 'right'] as const)
        assert.deepEqual(linted(example, which).toSorted(), webhookFindings(example, which).toSorted());
    });
  }
});
