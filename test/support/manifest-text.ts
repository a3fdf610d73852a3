/** What is said of a Service in a manifest, as lines of YAML. */
export interface ManifestSaid {
  readonly name?: string;
  /** Keys without the current prefix stand for it; values are written as they are, without quotes around them. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly more?: string;
}

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const keyOf = (key: string): string => (key.includes('/') ? key : PREFIX + key);

/** A Service of type LoadBalancer with port 80; its annotations begin in line 6. */
export function manifestText({
  name = 'web',
  annotations = {},
  ports = ['port: 80'],
  more = '',
}: ManifestSaid = {}): string {
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
