const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});

/** The Prometheus operator's PodMonitor as far as we use it (its API reference, `monitoring.coreos.com/v1`); what we misspell is refused. */
export const POD_MONITOR_KIND: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'podmonitors.monitoring.coreos.com' },
  spec: {
    group: 'monitoring.coreos.com',
    scope: 'Namespaced',
    names: { kind: 'PodMonitor', listKind: 'PodMonitorList', plural: 'podmonitors', singular: 'podmonitor' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: object({
            spec: object(
              {
                selector: object({ matchLabels: { type: 'object', additionalProperties: text } }),
                podMetricsEndpoints: {
                  type: 'array',
                  items: object({ port: text, path: text, scheme: text, interval: text }),
                },
              },
              ['selector'],
            ),
          }),
        },
      },
    ],
  },
};
