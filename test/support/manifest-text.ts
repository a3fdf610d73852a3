/** The parts of a Service in a YAML manifest, mostly for tests of `portcullis lint`. */
export interface ManifestInput {
  readonly name?: string;
  /** The annotations. Keys without a prefix get the current one. Values are written without quotes. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly more?: string;
}

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const keyOf = (key: string): string => (key.includes('/') ? key : PREFIX + key);

/** Returns a Service of type LoadBalancer with port 80. Its annotations begin in line 6. */
export function manifestText({
  name = 'web',
  annotations = {},
  ports = ['port: 80'],
  more = '',
}: ManifestInput = {}): string {
  const lines = Object.entries(annotations).map(([key, value]) => `    ${keyOf(key)}: ${value}\n`);
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
  annotations:${lines.length === 0 ? ' {}' : ''}
${lines.join('')}spec:
  type: LoadBalancer
  ports:
${ports.map((port) => `    - {${port}}\n`).join('')}${more}`;
}
