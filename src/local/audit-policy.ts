import { stringify } from 'yaml';
import { LOAD_BALANCER_BINDINGS } from '../inventory/binding.ts';
import { API_GROUP } from '../inventory/resource.ts';

/** Whom the API server knows the sandbox's kubelet as. */
export const KUBELET_USER = 'sandbox-kubelet';

/** What the API server's audit log holds: who did what to everything, and the whole objects for the kinds whose history tests ask about. */
export const AUDIT_POLICY = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    // It looks at the same few objects every second.
    { level: 'None', users: [KUBELET_USER], verbs: ['get', 'list'] },
    { level: 'None', nonResourceURLs: ['/readyz*', '/healthz*', '/livez*'] },
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      resources: [
        { group: '', resources: ['services', 'services/status', 'nodes', 'nodes/status', 'events'] },
        { group: 'discovery.k8s.io', resources: ['endpointslices'] },
        { group: 'events.k8s.io', resources: ['events'] },
        { group: API_GROUP, resources: [LOAD_BALANCER_BINDINGS.plural] },
      ],
    },
    // Who leads.
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete'],
      resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
      namespaces: ['kube-system'],
    },
    { level: 'Metadata' },
  ],
});
