import { z } from 'zod';
import { PortcullisError } from '../../base/errors.ts';
import type { ApiClient } from '../api-client.ts';
import { NAMESPACE } from './service-lookup.ts';

const Services = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ namespace: z.string(), name: z.string() }),
      spec: z.object({ type: z.string().optional() }),
    }),
  ),
});

/** Throws `InvalidConfiguration` if the sandbox has Services that the demo would disturb. */
export async function requireEmptySandbox(api: Pick<ApiClient, 'find'>): Promise<void> {
  const list = await api.find('/api/v1/services');
  if (list === undefined) {
    throw new PortcullisError(
      'Unavailable',
      'failed to list the Services of the sandbox: see the logs of kube-apiserver',
    );
  }
  // The demo deletes all Services of its namespace, counts load balancers and cordons a node.
  const found = Services.parse(list)
    .items.filter(({ metadata, spec }) => metadata.namespace === NAMESPACE || spec.type === 'LoadBalancer')
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  if (found.length === 0) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    `the sandbox has other Services: ${found.join(', ')}. Delete these Services, or use another sandbox: SANDBOX=demo make demo`,
  );
}
