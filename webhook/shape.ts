import { z } from 'zod';
import { PortcullisError } from '../src/errors.ts';
import type { Node, Service } from '../src/objects.ts';
import { issuesOf } from './review.ts';

const texts = z.record(z.string(), z.string()).nullish();
const Metadata = z.looseObject({
  name: z.string().optional(),
  generateName: z.string().optional(),
  annotations: texts,
  labels: texts,
  finalizers: z.array(z.string()).nullish(),
  managedFields: z.array(z.looseObject({ manager: z.string().optional(), operation: z.string().optional() })).nullish(),
});
const Port = z.looseObject({
  name: z.string().optional(),
  protocol: z.string().optional(),
  port: z.number(),
  targetPort: z.union([z.number(), z.string()]).optional(),
  nodePort: z.number().optional(),
});
const Ingress = z.looseObject({ ip: z.string().optional(), hostname: z.string().optional() });
const ServiceShape = z.looseObject({
  metadata: Metadata,
  spec: z.looseObject({ type: z.string().optional(), ports: z.array(Port).nullish() }).optional(),
  status: z.looseObject({ loadBalancer: z.looseObject({ ingress: z.array(Ingress).nullish() }).optional() }).optional(),
});
const NodeShape = z.looseObject({
  metadata: Metadata,
  spec: z.looseObject({ providerID: z.string().optional() }).optional(),
});

function checked(shape: z.ZodType, object: unknown, name: string): void {
  const result = shape.safeParse(object);
  if (!result.success)
    throw new PortcullisError('InvalidObject', `the ${name} in the review is none: ${issuesOf(result.error)}`);
}

/** The Service in a request, once what rules read of it has the right types. Throws `InvalidObject` otherwise. */
export function serviceIn(object: unknown): Service {
  checked(ServiceShape, object, 'Service');
  return object as Service;
}

/** The Node in a request; see `serviceIn`. */
export function nodeIn(object: unknown): Node {
  checked(NodeShape, object, 'Node');
  return object as Node;
}
