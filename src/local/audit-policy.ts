import { stringify } from 'yaml';

/** What the API server's audit log holds: who did what to everything, and the whole objects for the kinds whose history tests ask about. */
export const AUDIT_POLICY = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'None', nonResourceURLs: ['/readyz*', '/healthz*', '/livez*'] },
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      resources: [{ group: '', resources: ['services', 'services/status', 'nodes', 'nodes/status'] }],
    },
    { level: 'Metadata' },
  ],
});
