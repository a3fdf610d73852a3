import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../src/annotation/well-known-names.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { annotation } from '../running-controller.ts';
import { aService } from '../service.ts';

/** Placeholder for the number of a Service, so that Services share no text. The number has as many digits as the placeholder has characters. */
export const NUMBER = '#####';

const NAMED = { name: `large-${NUMBER}`, uid: `${NUMBER}000-0000-4000-8000-000000000000` };
const several = <Item>(count: number, make: (at: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
/** Returns a unique text of at most 63 characters. */
const text = (at: number, length: number): string => `n${at}-${NUMBER}-`.padEnd(length, 'x');

type Texts = Readonly<Record<string, string>>;
const labelsOf = (count: number): Texts =>
  Object.fromEntries(several(count, (at) => [`${text(at, 50)}/${text(at, 30)}`, text(at, 48)]));
const portsOf = (count: number, nameLength: number) =>
  several(count, (at) => ({
    ...{ name: text(at, nameLength), port: at + 1, protocol: 'TCP' },
    ...{ targetPort: text(at, 15), nodePort: 30_000 + (at % 2_768) },
  }));
const finalizersOf = (count: number): string[] => [...several(count, (at) => text(at, 128)), WELL_KNOWN.finalizer.name];
const statusOf = (addresses: number, message: string): NonNullable<Service['status']> => ({
  loadBalancer: { ingress: several(addresses, (at) => ({ hostname: text(at, 250) })) },
  conditions: several(2, (at) => ({
    ...{ type: at === 0 ? 'LoadBalancerReady' : 'Other', status: 'False', reason: 'Invalid' },
    ...{ lastTransitionTime: '2026-01-02T03:04:05Z', message: `${NUMBER} ${message}` },
  })),
});

/** Annotation keys in rotation: read and unread, known and unknown to the catalogue. */
const KEYS = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'example.com/notes',
  annotation('name'),
  annotation('additional-resource-tags'),
  annotation('nmae'),
  'service.beta.kubernetes.io/notes',
];

/** Returns every key of the catalogue, with characters of two bytes each. */
const everyAnnotation = (): Texts =>
  Object.fromEntries(
    ENTRIES.flatMap(([, { key, deprecated }]) =>
      [key, ...deprecated].map((each) => [each, `${NUMBER}${'…'.repeat(40)}`] as const),
    ),
  );

/** Returns a Service with each part at and above the maximum size in caches. */
function everythingLarge(): Service {
  const { metadata, spec } = aService({
    ...{ ...NAMED, annotations: everyAnnotation() },
    ...{ labels: labelsOf(70), ports: portsOf(110, 63) },
  });
  const addresses = several(20, (at) => `192.0.2.${at}/32`);
  return {
    metadata: { ...metadata, finalizers: finalizersOf(20) },
    spec: {
      ...spec,
      ...{ selector: labelsOf(20), externalIPs: addresses, loadBalancerSourceRanges: addresses },
    },
    status: statusOf(20, '…'.repeat(1_000)),
  };
}

/** Kinds of large Services. Caches must trim them, because 5,000 untrimmed Services do not fit into memory. */
export const KINDS = {
  'an annotation': () => KEYS.map((key) => aService({ ...NAMED, annotations: { [key]: 'x'.repeat(112 * 1_024) } })),
  finalizers: () => {
    const { metadata, ...rest } = aService(NAMED);
    return [{ ...rest, metadata: { ...metadata, finalizers: finalizersOf(700) } }];
  },
  labels: () => [aService({ ...NAMED, labels: labelsOf(500) })],
  ports: () => [aService({ ...NAMED, ports: portsOf(1_000, 15) })],
  'a status': () => [{ ...aService(NAMED), status: statusOf(200, 'x'.repeat(16_000)) }],
  'large fields of every kind': () => [everythingLarge()],
} satisfies Readonly<Record<string, () => readonly Service[]>>;

export type LargeKind = keyof typeof KINDS;
