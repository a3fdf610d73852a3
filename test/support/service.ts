import type { Service, ServicePort } from '../../src/base/kubernetes-objects.ts';

export interface ServiceInput {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly type?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** The ports. Numbers stand for TCP ports. */
  readonly ports?: readonly (number | ServicePort)[];
}

/** Returns a stored Service of type LoadBalancer, by default with one TCP port 80. */
export const aService = (input: ServiceInput = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: input.name ?? 'web',
    namespace: input.namespace ?? 'shop',
    uid: input.uid ?? '5e4dbfc9-c2ae-4642-b033-5607860aef6a',
    resourceVersion: '1',
    ...(input.annotations === undefined ? {} : { annotations: input.annotations }),
    ...(input.labels === undefined ? {} : { labels: input.labels }),
  },
  spec: {
    type: input.type ?? 'LoadBalancer',
    ports: (input.ports ?? [80]).map((port) =>
      typeof port === 'number'
        ? { name: `p${port}`, port, protocol: 'TCP', targetPort: port, nodePort: 30_000 + (port % 2768) }
        : port,
    ),
  },
});
