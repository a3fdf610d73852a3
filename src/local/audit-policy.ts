import { stringify } from 'yaml';
import { LOAD_BALANCER_BINDINGS } from '../inventory/binding.ts';
import { API_GROUP } from '../inventory/custom-resources.ts';

/** The user name in the client certificate of the sandbox's kubelet. */
export const KUBELET_USER = 'sandbox-kubelet';

/** The audit policy of kube-apiserver, by which tests find the writes of each client in the audit log. */
export const AUDIT_POLICY = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    // The kubelet reads its objects every second, and these reads would fill the log.
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
    // The writes of Leases show tests which controller process is the leader.
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete'],
      resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
      namespaces: ['kube-system'],
    },
    { level: 'Metadata' },
  ],
});
