import { CURRENT_PREFIX } from '../../annotation/keys.ts';
import type { ClassicLoadBalancerStatus } from '../../inventory/custom-resources.ts';
import type { Examples } from '../rule.ts';

/**
 * Returns part of a manifest as YAML, for the examples of a rule. `annotations` maps key suffixes to values, and `ports` maps port names to numbers.
 */
export function exampleOf(
  annotations: Readonly<Record<string, string>>,
  ports: Readonly<Record<string, number>> = {},
): string {
  const annotationLines = Object.entries(annotations).map(
    ([suffix, value]) => `    ${CURRENT_PREFIX}loadbalancer-${suffix}: "${value}"\n`,
  );
  const portLines = Object.entries(ports).map(([name, port]) => `    - name: ${name}\n      port: ${port}\n`);
  const spec = portLines.length === 0 ? '' : `spec:\n  ports:\n${portLines.join('')}`;
  return `metadata:\n  annotations:\n${annotationLines.join('')}${spec}`;
}

/** Returns the examples of a rule that denies a load balancer by its owner. `lb-1` has the given owner, and `lb-2` is user-managed. */
export const reuseExamples = (owner: ClassicLoadBalancerStatus['owner'], description: string): Examples => ({
  cloud: {
    description: description,
    loadBalancers: {
      'lb-1': { owner },
      'lb-2': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp' }] },
    },
  },
  wrong: exampleOf({ id: 'lb-1' }),
  right: exampleOf({ id: 'lb-2' }),
});

/** The annotations of a Service with an HTTP and an HTTPS port. */
export const HTTP_AND_HTTPS = { 'protocol-port': 'http:80,https:443', 'cert-id': '1234567890_17e0b2f8c9a' } as const;
