import { FACTS, factOf, type Fact } from './annotation-facts.ts';
import type { Random } from './random.ts';
import { valueFor } from './values.ts';

/** An annotation of a generated Service. */
export interface Written {
  readonly fact: Fact;
  /** The spelling of the key. */
  readonly key: string;
  readonly text: string;
}

/** The listeners of all four protocols, so that every annotation is effective. */
const EXAMPLES: Readonly<Record<string, string>> = {
  [factOf('protocol-port').key]: 'tcp:22,udp:53,http:80,https:443',
  [factOf('cert-id').key]: '1234567890_17e0b2f8c9a',
};
const PORTS = [
  { name: 'ssh', port: 22, protocol: 'TCP', targetPort: 22, nodePort: 30_022 },
  { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30_053 },
  { name: 'http', port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30_080 },
  { name: 'https', port: 443, protocol: 'TCP', targetPort: 443, nodePort: 30_443 },
];

/** The maximum number of annotations. With more annotations, the webhook would truncate causes and warnings. */
const MOST_WRITTEN = 4;

/** Returns some random annotations. Each fact occurs once. */
export function writtenBy(random: Random): readonly Written[] {
  const written = new Map<Fact, Written>();
  for (let left = 1 + random.below(MOST_WRITTEN); left > 0; left--) {
    const fact = FACTS[random.below(FACTS.length)] ?? factOf('bandwidth');
    const key = fact.legacy !== undefined && random.oneIn(5) ? fact.legacy : fact.key;
    written.set(fact, { fact, key, text: valueFor(random, fact) });
  }
  return [...written.values()];
}

/** Returns a Service of type LoadBalancer with these annotations, and with annotations that make them effective. */
export function serviceWith(written: readonly Written[]): object {
  const annotations: Record<string, string> = { ...EXAMPLES };
  for (const { fact, key, text } of written) {
    Reflect.deleteProperty(annotations, fact.key);
    annotations[key] = text;
  }
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop', uid: '5e4dbfc9-c2ae-4642-b033-5607860aef6a', annotations },
    spec: { type: 'LoadBalancer', ports: structuredClone(PORTS) },
  };
}
