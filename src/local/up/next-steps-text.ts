import { podFolder } from '../kubelet/launch-spec.ts';
import type { Sandbox } from '../sandbox-handle.ts';
import { environmentFile } from '../sandbox-files.ts';
import type { SandboxRecord } from '../sandbox-record.ts';
import { sandboxVariable } from './running-process-check.ts';

/** Returns the instructions that `make up` prints at its end. `shown` returns the form in which a path is printed. */
export function usageOf({ name, folder, logs, record }: Sandbox, shown: (path: string) => string): string {
  const parts = [
    `
Use it:
  . ${shown(environmentFile(folder))}
  kubectl get nodes
  kubectl apply -f manifests/samples/workload.yaml -f manifests/samples/good.yaml
  kubectl get clb
  portcullis explain bandwidth

Logs of every process: ${shown(logs)}
Stop it: ${sandboxVariable(name)}make down`,
  ];
  if (record.without.includes('webhook')) parts.push(ownWebhook(record, shown));
  if (record.without.includes('controller')) parts.push(ownController(name));
  return parts.join('\n');
}

/** Returns the instructions for a sandbox whose controller was omitted by `WITHOUT=controller`. */
const ownController = (name: string): string => `
No load balancer is created until a controller runs. Start the controller of this repository: ${sandboxVariable(name)}make controller
Or run your own controller, or Portcullis with your flags:
  portcullis controller --cloud-config "$CLOUD_CONFIG" --kubeconfig "$CONTROLLER_KUBECONFIG" --cluster-cidr "$CLUSTER_CIDR"`;

/** Returns the instructions for a sandbox whose webhook was omitted by `WITHOUT=webhook`. */
const ownWebhook = ({ name, folder, ports }: SandboxRecord, shown: (path: string) => string): string => `
No webhook runs. Start the webhook of this repository: ${sandboxVariable(name)}make webhook
Or run your own webhook. The API server calls your webhook as soon as it is ready:
  HTTPS on 127.0.0.1:${ports.webhook['https'] ?? 0}, with the certificate in ${shown(podFolder(folder, 'webhook'))}/volumes/tls
  http://127.0.0.1:${ports.webhook['health'] ?? 0}/readyz responds with status 200`;
