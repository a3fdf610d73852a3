import type {
  AdmissionPolicy,
  DaemonSet,
  Deployment,
  Lease,
  Namespace,
  Service,
  WebhookConfiguration,
} from '../base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from '../inventory/binding.ts';
import type { ClassicLoadBalancer, CloudInventory } from '../inventory/custom-resources.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../policy/custom-resources.ts';
import type { Attempt } from './read-result.ts';
import type { TrialResult } from './trial-service.ts';

/** The facts about an installation, which `readCluster` reads once for each report. All checks use only these facts. */
export interface StatusFacts {
  /** The time of the read, in milliseconds since the epoch. */
  readonly now: number;
  /** The version of this program. */
  readonly program: string;
  /** The version of the API server. */
  readonly server: Attempt<string>;
  /** The namespace of the webhook, and thus of the installation. */
  readonly namespace: string;
  readonly lease: Attempt<Lease>;
  readonly deployments: Attempt<readonly Deployment[]>;
  readonly daemonSets: Attempt<readonly DaemonSet[]>;
  /** The validating and the mutating configuration. */
  readonly webhooks: readonly Attempt<WebhookConfiguration>[];
  readonly admissionPolicies: Attempt<readonly AdmissionPolicy[]>;
  readonly review: Attempt<TrialResult>;
  /** The certificates that the webhook serves, as PEM text without the private key. */
  readonly served: Attempt<string>;
  readonly loadBalancers: Attempt<readonly ClassicLoadBalancer[]>;
  readonly bindings: Attempt<readonly LoadBalancerBinding[]>;
  readonly inventories: Attempt<readonly CloudInventory[]>;
  readonly policies: Attempt<readonly LoadBalancerPolicy[]>;
  readonly exceptions: Attempt<readonly LoadBalancerException[]>;
  /** The Services of type LoadBalancer. */
  readonly services: Attempt<readonly Service[]>;
  /** The namespace `kube-system`, whose UID identifies the cluster. */
  readonly system: Attempt<Namespace>;
}
