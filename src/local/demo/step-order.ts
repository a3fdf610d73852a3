import type { CloudLoadBalancer } from './cloud.ts';
import type { DemoStep } from './demo.ts';
import { binding } from './steps/binding.ts';
import { change } from './steps/service-update.ts';
import { remove } from './steps/delete.ts';
import { deprecatedKeys } from './steps/deprecated-keys.ts';
import { families } from './steps/invalid-combinations.ts';
import { everyViolation } from './steps/invalid-service.ts';
import { good } from './steps/new-service.ts';
import { https } from './steps/https.ts';
import { join } from './steps/node-join.ts';
import { killSteps } from './steps/controller-crash.ts';
import { nodes } from './steps/nodes.ts';
import { orphan } from './steps/orphan.ts';
import { pods } from './steps/pods.ts';
import { policy } from './steps/policy.ts';
import { released } from './steps/instance-release.ts';
import { reuse } from './steps/reuse.ts';
import { safety } from './steps/webhook-outage.ts';
import { sandbox } from './steps/sandbox.ts';
import { status } from './steps/status.ts';
import { stored } from './steps/immutable-changes.ts';
import { takeOver } from './steps/take-over.ts';
import { userListener } from './steps/user-listener.ts';

/**
 * Returns the steps in a sandbox, in the order of their dependencies. `before` holds the load balancers at the start, which the last step compares.
 * The orphan comes before the restarts of the controller, because each process needs two passes of the inventory, a minute apart. The steps between
 * kill and completion need only the webhook.
 */
export function demoSteps(before: readonly CloudLoadBalancer[]): readonly DemoStep[] {
  const { kill, completed } = killSteps();
  return [
    ...[sandbox, everyViolation, families, deprecatedKeys],
    ...[reuse, userListener, good, stored],
    ...[change, binding, https, pods, join, released, orphan],
    ...[kill, policy, nodes, safety, completed],
    ...[takeOver, status, remove(before)],
  ];
}
