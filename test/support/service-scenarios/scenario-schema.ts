import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../../src/base/errors.ts';

const text = z.string().min(1);
const json = z.record(z.string(), z.unknown());

/** The annotations by suffix. A key with a slash is used unchanged. Null removes an annotation. */
const Annotations = z.record(z.string(), z.string().nullable());

const Port = z.union([
  z.int(),
  z.strictObject({
    port: z.int(),
    name: text.optional(),
    protocol: z.enum(['TCP', 'UDP']).optional(),
    targetPort: z.union([z.int(), text]).optional(),
    /** Node port in reports. The API server gets a unique port. */
    nodePort: z.int().optional(),
  }),
]);

/** A Service in a file of integration/scenarios, as input of `kubectl apply`. Fields that a later input omits are removed. */
const WrittenService = z.strictObject({
  name: text.default('web'),
  namespace: text.default('shop'),
  annotations: Annotations.default({}),
  labels: z.record(z.string(), z.string()).default({}),
  /** Numbers stand for TCP ports. Defaults to 80. */
  ports: z.array(Port).default([80]),
  spec: json.default({}),
});

const WrittenNode = z.strictObject({
  labels: z.record(z.string(), z.string().nullable()).default({}),
  /** The status of the condition `Ready`. Null for a Node without conditions. */
  ready: z.enum(['True', 'False', 'Unknown']).nullable().default('True'),
  /** Defaults to the instance with the Node's number. */
  providerID: z.string().optional(),
  spec: json.default({}),
});

/** A Node's name, the number of a pod with an interface in the VPC, or further fields of an endpoint. */
const WrittenEndpoint = z.union([
  text,
  z.int(),
  z.strictObject({
    address: text.optional(),
    node: text.optional(),
    pod: z.union([z.int(), text]).optional(),
    ready: z.boolean().nullable().default(true),
    serving: z.boolean().optional(),
    terminating: z.boolean().optional(),
  }),
]);

const Call = z.tuple([text, z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))]);

const Step = z.strictObject({
  /** The description of the step, used as its heading. */
  title: text,
  /** Stops the controller, or starts a new one without state. Applied first. */
  controller: z.enum(['ends', 'begins']).optional(),
  cloudSettings: json.optional(),
  faults: z.array(json).optional(),
  /** The cloud resources to create or, with `remove`, to delete by hand, in the format of the simulator's seed. */
  cloud: json.optional(),
  /** Calls of users at the console. */
  calls: z.array(Call).default([]),
  nodes: z.record(z.string(), WrittenNode).default({}),
  /** Any objects, such as a Pod. */
  objects: z.array(json).default([]),
  /** The EndpointSlice of each Service, or several slices. */
  pods: z.record(z.string(), z.union([z.array(WrittenEndpoint), z.array(z.array(WrittenEndpoint))])).default({}),
  services: z.array(WrittenService).default([]),
  annotate: z.record(z.string(), Annotations).default({}),
  /** JSON merge patches by `Kind/name` or `Kind/namespace/name`. */
  patch: z.record(z.string(), json).default({}),
  /** JSON merge patches of the status, by the same keys. */
  status: z.record(z.string(), json).default({}),
  delete: z.array(text).default([]),
  /** Observation time, such as `10m`. Defaults to a minute. */
  wait: z
    .string()
    .regex(/^\d+[sm]$/)
    .default('60s'),
});

const WrittenScenario = z.strictObject({
  title: text,
  /** The cloud resources in addition to the network and the instances of the Nodes. */
  cloud: json.default({}),
  /** The number of instances. */
  instances: z.int().default(3),
  settings: json.default({}),
  protected: z.array(text).default([]),
  /** True if the controller reads Endpoints in place of EndpointSlices. */
  endpoints: z.literal(true).optional(),
  /** Stores objects without admission. */
  webhook: z.literal('away').optional(),
  /** Nodes in place of `n1`, `n2` and `n3`. */
  nodes: z.record(z.string(), WrittenNode).optional(),
  steps: z.array(Step).min(1),
});

export type Written = z.output<typeof WrittenScenario>;
export type WrittenStep = z.output<typeof Step>;
export type WrittenService = z.output<typeof WrittenService>;
export type WrittenNode = z.output<typeof WrittenNode>;
export type WrittenEndpoint = z.output<typeof WrittenEndpoint>;

/** Returns the scenarios of a file by name. Throws with the file's name and the error. */
export function readScenarios(path: string): ReadonlyMap<string, unknown> {
  try {
    return new Map(
      Object.entries(z.record(z.string(), z.unknown()).parse(parse(readFileSync(path, 'utf8'), { merge: true }))),
    );
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Parses a scenario. Throws with its name and the error. */
export function readScenario(name: string, document: unknown): Written {
  const { data, error } = WrittenScenario.safeParse(document);
  if (error !== undefined) throw new Error(`scenario ${name}: ${z.prettifyError(error)}`);
  return data;
}
