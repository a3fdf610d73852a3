import { CATALOGUE, type OptionName } from '../../src/annotation/catalogue.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { aService } from '../support/service.ts';

/** Annotations that all have an effect on a Service with a TCP port and an HTTPS port. */
const OPTIONS: readonly OptionName[] = [
  ...([
    'addressType',
    'chargeType',
    'instanceChargeType',
    'name',
    'deleteProtection',
    'modificationProtection',
  ] as const),
  ...(['scheduler', 'persistenceTimeout', 'establishedTimeout', 'aclStatus', 'aclId', 'aclType'] as const),
  ...([
    'healthCheckType',
    'healthCheckConnectPort',
    'healthyThreshold',
    'unhealthyThreshold',
    'healthCheckInterval',
  ] as const),
  ...(['healthCheckConnectTimeout', 'removeUnscheduledBackend', 'certId', 'idleTimeout'] as const),
];
const PORTS = [80, 443];

const annotations = (
  valueOf: (option: OptionName) => string,
  protocolPort = 'tcp:80,https:443',
): Record<string, string> =>
  Object.fromEntries(
    [
      ...OPTIONS.map((option) => [CATALOGUE[option].key, valueOf(option)] as const),
      [CATALOGUE.protocolPort.key, protocolPort] as const,
      // A review has the annotations in the order of keys.
    ].sort(([left], [right]) => (left < right ? -1 : 1)),
  );

/** Returns a valid value. The load balancer is public, because charging by bandwidth has no effect on a private one. */
const rich = (option: OptionName): string => (option === 'addressType' ? 'internet' : CATALOGUE[option].example);

/** Returns another value of a number, text or list, and the same value of any other kind. */
function another(option: OptionName): string {
  const { kind } = CATALOGUE[option].value;
  if (kind === 'integer') return String(Number(rich(option)) + 1);
  return kind === 'text' || kind === 'list' ? `${rich(option)}0` : rich(option);
}

/** A Service with 22 annotations and no violations, which most benchmarks review. */
export const RICH: Service = aService({
  ports: PORTS,
  annotations: annotations(rich),
});

/** The Service with another value of each number, text and list. */
export const OTHER: Service = aService({ ports: PORTS, annotations: annotations(another, 'https:443,tcp:80') });

/** The Service with every value invalid. */
export const FAULTY: Service = aService({ ports: PORTS, annotations: annotations(() => 'wrong') });
