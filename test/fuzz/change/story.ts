import fc from 'fast-check';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { anyAcceptedService, theRegion } from '../../support/any-accepted.ts';
import { annotation } from '../../support/running-controller.ts';

/** The versions of a Service in order, and the cloud in which they are synced. `play` applies them to the webhook and a controller. */
export interface Story {
  readonly versions: readonly Service[];
  readonly region: SeedInput;
  readonly disablePublicSLB: boolean;
  /** True if the sync of the first version fails for a reason that only the cloud knows. The resources that the sync created stay. */
  readonly firstFails: boolean;
  /** True if the third version replaces the second before the controller observes it. */
  readonly skipsSecond: boolean;
}

/** The user-managed load balancers: with a listener of a user, without listeners, and with a listener of this or of another Service. */
const SHARED: NonNullable<SeedInput['loadBalancers']> = [
  { id: 'lb-hand', address: '47.1.1.1', listeners: [{ port: 80, protocol: 'tcp' }] },
  { id: 'lb-inside', address: '10.1.0.77', addressType: 'intranet', vSwitchId: 'vsw-1' },
  {
    id: 'lb-left',
    address: '47.1.1.3',
    listeners: [{ port: 443, protocol: 'tcp', attributes: { Description: 'k8s/443/web/shop/c1' } }],
  },
  {
    id: 'lb-other',
    address: '47.1.1.4',
    listeners: [{ port: 80, protocol: 'tcp', attributes: { Description: 'k8s/80/api/shop/c1' } }],
  },
];

/** Annotations that `using` removes: for attributes that the inventory lacks, or with values that no load balancer in SHARED has. */
const NOT_SHARED: ReadonlySet<string> = new Set(
  ['ip', 'resource-group-id', 'master-zoneid', 'slave-zoneid', 'network-type', 'instance-charge-type'].map(annotation),
);

/** The load balancer that a Service names. Undefined for a Service with an owned load balancer. */
interface Use {
  readonly id?: string;
  readonly override?: string;
}

const anyShared = fc.constantFrom('lb-hand', 'lb-inside', 'lb-left', 'lb-other');
const anyUse: fc.Arbitrary<Use> = fc.oneof(
  fc.constant<Use>({}),
  fc.record({ id: anyShared }),
  fc.record({ id: anyShared, override: fc.constantFrom('true', 'true', 'false') }),
);

function using(service: Service, { id, override: overrides }: Use): Service {
  if (id === undefined) return service;
  const own = Object.entries(service.metadata.annotations ?? {}).filter(([key]) => !NOT_SHARED.has(key));
  const annotations = {
    ...Object.fromEntries(own),
    [annotation('id')]: id,
    ...(overrides === undefined ? {} : { [annotation('force-override-listeners')]: overrides }),
  };
  return { ...service, metadata: { ...service.metadata, annotations } };
}

const asClusterIp = (service: Service): Service => ({ ...service, spec: { ...service.spec, type: 'ClusterIP' } });

const asAnothers = ({ metadata, ...service }: Service): Service => ({
  ...service,
  metadata: { ...metadata, annotations: { ...metadata.annotations, 'service.beta.kubernetes.io/class': 'nginx' } },
});

const withAnnotations = (service: Service, annotations: Readonly<Record<string, string>>): Service => ({
  ...service,
  metadata: { ...service.metadata, annotations },
});

/** Returns the Service with a missing access control list, so that a sync creates the load balancer, but no listener. */
const withMissingList = (service: Service): Service =>
  withAnnotations(service, {
    ...service.metadata.annotations,
    [annotation('acl-status')]: 'on',
    [annotation('acl-type')]: 'white',
    [annotation('acl-id')]: 'acl-none',
  });

/**
 * Kinds of later versions: other load balancer, other annotations, type change with or without return, correction after a failure, quick change or
 * revert.
 */
const WAYS = ['other', 'same', 'same', 'back', 'bare', 'mended', 'mended', 'hurried', 'undone'] as const;

const anyVersions: fc.Arbitrary<Pick<Story, 'versions' | 'firstFails' | 'skipsSecond'>> = fc
  .record({
    words: fc.tuple(anyAcceptedService, anyAcceptedService),
    uses: fc.tuple(anyUse, anyUse),
    way: fc.constantFrom(...WAYS),
  })
  .map(({ words: [words, others], uses: [use, another], way }) => {
    const first = using(words, use);
    const follow = (...versions: readonly Service[]) => ({
      versions: [first, ...versions],
      firstFails: false,
      skipsSecond: false,
    });
    if (way === 'back') return follow(asClusterIp(first), first);
    if (way === 'bare') return follow(asClusterIp(withAnnotations(first, {})));
    if (way === 'mended')
      return { versions: [withMissingList(words), using(others, another)], firstFails: true, skipsSecond: false };
    if (way === 'hurried') return { ...follow(asClusterIp(first), using(others, use)), skipsSecond: true };
    if (way === 'undone') return { ...follow(asAnothers(first), first), skipsSecond: true };
    return follow(using(others, way === 'same' ? { ...another, ...use } : another));
  });

const regionOf = ([first]: readonly Service[]): SeedInput => (first === undefined ? {} : theRegion(first));

/** Returns whether all versions use the same access control list, which has one address family. */
const isOfOneRegion = (versions: readonly Service[]): boolean =>
  new Set(versions.map((wanted) => JSON.stringify(regionOf([wanted])))).size === 1;

export const anyStory: fc.Arbitrary<Story> = fc
  .record({
    input: anyVersions.filter(({ versions }) => isOfOneRegion(versions)),
    disablePublicSLB: fc.constantFrom(false, false, false, true),
  })
  .map(({ input, disablePublicSLB }) => ({
    ...input,
    disablePublicSLB,
    region: { ...regionOf(input.versions), loadBalancers: SHARED },
  }));
