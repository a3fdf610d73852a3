const text = { type: 'string' };
const map = (values: object): object => ({ type: 'object', additionalProperties: values });
const list = (items: object): object => ({ type: 'array', items });
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});

const kind = (name: string, spec: object): object => {
  const singular = name.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind: name, listKind: `${name}List`, plural: `${singular}s`, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: object({ spec }) } }],
    },
  };
};

/**
 * The used fields of the Prometheus operator (API reference `monitoring.coreos.com/v1`). With these definitions, an API server rejects misspelled
 * fields.
 */
export const PROMETHEUS_KINDS: readonly object[] = [
  kind(
    'PodMonitor',
    object(
      {
        selector: object({ matchLabels: map(text) }),
        podMetricsEndpoints: list(object({ port: text, path: text, scheme: text, interval: text })),
      },
      ['selector'],
    ),
  ),
  kind(
    'PrometheusRule',
    object({
      groups: list(
        object(
          {
            name: text,
            interval: text,
            rules: list(
              object({ alert: text, record: text, expr: text, for: text, labels: map(text), annotations: map(text) }, [
                'expr',
              ]),
            ),
          },
          ['name'],
        ),
      ),
    }),
  ),
];
