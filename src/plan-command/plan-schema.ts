import { z } from 'zod';
import { OPERATIONS, RESOURCES } from './resource-changes.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);

const field = z.strictObject({
  field: z.string().describe('The path of the field, such as scheduler, tags[team] or backends[i-1:30080].weight.'),
  old: value.optional().describe('The value in the cloud. Absent if the field is added.'),
  new: value.optional().describe('The value after the change. Absent if the field is removed.'),
});

const change = z
  .strictObject({
    operation: z.enum(OPERATIONS),
    resource: z.enum(RESOURCES),
    name: z
      .string()
      .describe(
        'The id of a load balancer, or its name if the plan creates it; the port and protocol of a listener, such as 80/tcp; the name of a server group, or its id if a user manages it.',
      ),
    loadBalancer: z.string().optional().describe('The id of the load balancer. Absent if the plan creates it.'),
    fields: z.array(field),
  })
  .describe('The change of one resource, which may take several calls.');

const action = z
  .looseObject({ kind: z.string(), text: z.string().describe('The action as a sentence.') })
  .describe('A call of the cloud. Further properties depend on the kind.');

const blocked = z
  .strictObject({
    rule: z.string().describe('The reason of the condition, such as PortUnavailable.'),
    reason: z.string().describe('The problem and the remedy.'),
    action: action.optional(),
  })
  .describe('A change that is kept out of the plan.');

const lostAddress = z.strictObject({
  address: z.string(),
  loadBalancer: z.string(),
  reason: z
    .enum(['deleted', 'detached'])
    .describe('deleted: with its load balancer; detached: a user-managed load balancer keeps the address.'),
});

const name = z.string().describe('The namespace and name of the Service, such as shop/web.');

const planned = z
  .strictObject({
    service: name,
    loadBalancers: z
      .array(z.strictObject({ id: z.string(), address: z.string() }))
      .describe('The existing load balancers.'),
    denied: z.array(z.string()).describe('The violations that deny the Service, as at kubectl apply.'),
    changes: z.array(change).describe('The changes by resource.'),
    lostAddresses: z.array(lostAddress).describe('The addresses that the Service loses.'),
    assumedNodePorts: z
      .array(z.int())
      .describe('The node ports that the plan assumes, because the API server has not assigned them yet.'),
    actions: z.array(action).describe('The calls of the cloud in their order.'),
    blocked: z.array(blocked),
  })
  .describe('The plan of a Service.');

const failed = z
  .strictObject({
    service: name,
    failure: z.strictObject({
      reason: z.string(),
      message: z.string(),
      requestId: z.string().optional().describe('The id of the rejected request in the cloud.'),
    }),
  })
  .describe('A Service whose plan failed.');

const count = z.int().min(0);

/** The schema of `portcullis plan -o json`, for programs that read the output. `docs/reference/plan.schema.json` is generated from this schema. */
export const planOutput = z.strictObject({
  services: z.array(z.union([planned, failed])),
  summary: z.strictObject({
    services: count,
    create: count.describe('The resources to create.'),
    change: count,
    delete: count,
    denied: count.describe('The denied Services.'),
    failed: count.describe('The Services whose plan failed.'),
    blocked: count.describe('The blocked changes. Equal reasons of a Service count once.'),
    lostAddresses: count,
  }),
});

export type PlanOutput = z.infer<typeof planOutput>;
export type ServiceOutput = PlanOutput['services'][number];
