import type { GroupPort } from '../annotation/value-type.ts';
import { oldestClaim, type GroupClaim } from '../clb/guards/foreign-groups.ts';
import type { Violation, Rule } from './rule.ts';
import { exampleOf } from './engine/example-fragments.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Cannot be tuned. Without this rule, a Service could receive the traffic of a Service in another namespace. */
export const serverGroupNamespace: Rule = {
  name: 'server-group-namespace',
  kind: 'Service',
  tier: 'safety',
  tunable: false,
  doc: 'A user-managed server group serves the Services of one namespace: backends of another namespace would get a share of its traffic. The group belongs to the namespace of the oldest Service that names it in vgroup-port. If the webhook is unavailable, the controller blocks the group and syncs the rest of the Service.',
  since: '0.1.0',
  examples: {
    cloud: {
      description: 'Service payments/pay names server group rsp-1 of lb-1',
      loadBalancers: { 'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp' }] } },
      services: [
        `metadata:
  name: pay
  namespace: payments
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-vgroup-port: "rsp-1:80"
`,
      ],
    },
    wrong: exampleOf({ id: 'lb-1', 'vgroup-port': 'rsp-1:80' }),
    right: exampleOf({ id: 'lb-1', 'vgroup-port': 'rsp-2:80' }),
  },
  canApply: ({ parsed }) => parsed.options.vgroupPort !== undefined,
  check: (subject, facts) => {
    const { id, vgroupPort: entries } = subject.parsed.options;
    if (id === undefined || entries === undefined) return NONE;
    const { namespace } = subject.object.metadata;
    // Each group is looked up once, because an annotation may name a group thousands of times, and thousands of Services may claim the group.
    const groups = new Set(entries.map(({ serverGroupId }) => serverGroupId));
    const oldest = new Map([...groups].map((group) => [group, oldestClaim(facts.groupClaims(id, group))]));
    const { field } = writtenAs('vgroupPort', subject);
    return entries.flatMap((entry) => {
      const owner = oldest.get(entry.serverGroupId);
      return owner === undefined || owner.namespace === namespace
        ? NONE
        : [{ field, on: id, ...adviceOn(entry, id, owner) }];
    });
  },
};

const adviceOn = (
  { serverGroupId, port }: GroupPort,
  id: string,
  { namespace, name }: GroupClaim,
): Omit<Violation, 'field'> => ({
  reason: 'Forbidden',
  value: `${serverGroupId}:${port}`,
  detail: `a Service of another namespace uses server group ${serverGroupId}`,
  remedy: 'name another server group, or remove the entry',
  audit: `server group ${serverGroupId} of ${id} is used by Service ${namespace}/${name}`,
  // For a stored Service, a guard of the controller blocks only this group, so the violation need not stop the sync.
  atApplyOnly: true,
});
