import type { CloudLoadBalancer } from './simulator-client.ts';
import type { DemoStep } from './demo-step.ts';
import { binding } from './steps/binding.ts';
import { serviceUpdate } from './steps/service-update.ts';
import { serviceDeletion } from './steps/service-deletion.ts';
import { deprecatedKeys } from './steps/deprecated-keys.ts';
import { invalidCombinations } from './steps/invalid-combinations.ts';
import { invalidService } from './steps/invalid-service.ts';
import { newService } from './steps/new-service.ts';
import { https } from './steps/https.ts';
import { nodeJoin } from './steps/node-join.ts';
import { controllerCrash } from './steps/controller-crash.ts';
import { nodes } from './steps/node-admission.ts';
import { orphan } from './steps/orphan.ts';
import { pods } from './steps/pods.ts';
import { policy } from './steps/policy.ts';
import { instanceRelease } from './steps/instance-release.ts';
import { reuse } from './steps/reuse.ts';
import { webhookOutage } from './steps/webhook-outage.ts';
import { sandbox } from './steps/cluster-overview.ts';
import { status } from './steps/status-command.ts';
import { immutableChanges } from './steps/immutable-changes.ts';
import { takeOver } from './steps/take-over.ts';
import { userListener } from './steps/user-listener.ts';

/** Returns the steps in a sandbox, in order. The last step checks that the load balancers `before` are unchanged. */
export function demoSteps(before: readonly CloudLoadBalancer[]): readonly DemoStep[] {
  // The steps between `kill` and `completed` need no controller, because they run before the new controller process becomes the leader.
  const { kill, completed } = controllerCrash();
  return [
    ...[sandbox, invalidService, invalidCombinations, deprecatedKeys],
    ...[reuse, userListener, newService, immutableChanges],
    // A controller process reports orphans only after two passes, so `orphan` precedes the restarts.
    ...[serviceUpdate, binding, https, pods, nodeJoin, instanceRelease, orphan],
    ...[kill, policy, nodes, webhookOutage, completed],
    ...[takeOver, status, serviceDeletion(before)],
  ];
}
