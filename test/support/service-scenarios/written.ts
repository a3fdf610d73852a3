import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../../src/base/errors.ts';

const text = z.string().min(1);
const json = z.record(z.string(), z.unknown());

/** By suffix; a key with a slash is meant as it is. Null takes one away. */
const Annotations = z.record(z.string(), z.string().nullable());

const Port = z.union([
  z.int(),
  z.strictObject({
    port: z.int(),
    name: text.optional(),
    protocol: z.enum(['TCP', 'UDP']).optional(),
    targetPort: z.union([z.int(), text]).optional(),
    /** As it is told; the API server gets one that no other scenario has. */
    nodePort: z.int().optional(),
  }),
]);

/** What `kubectl apply` is given: what was there before and is not said again goes. */
const WrittenService = z.strictObject({
  name: text.default('web'),
  namespace: text.default('shop'),
  annotations: Annotations.default({}),
  labels: z.record(z.string(), z.string()).default({}),
  /** Numbers stand for TCP ports; 80 unless told. */
  ports: z.array(Port).default([80]),
  spec: json.default({}),
});

const WrittenNode = z.strictObject({
  labels: z.record(z.string(), z.string().nullable()).default({}),
  /** `Ready` unless told; null for a Node without any condition. */
  ready: z.enum(['True', 'False', 'Unknown']).nullable().default('True'),
  /** That of the instance with the Node's number unless told. */
  providerID: z.string().optional(),
  spec: json.default({}),
});

/** A Node's name; the number of a pod with an interface in the VPC; or what is else to be said of an endpoint. */
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
  /** What happens, as a sentence; the heading of the step. */
  says: text,
  /** The controller ends, or one begins that knows nothing of what was before. Done first. */
  controller: z.enum(['ends', 'begins']).optional(),
  knobs: json.optional(),
  faults: z.array(json).optional(),
  /** What is planted in the cloud or, by `remove`, taken out of it by hand, as in the simulator's seed. */
  cloud: json.optional(),
  /** What people do at the console. */
  calls: z.array(Call).default([]),
  nodes: z.record(z.string(), WrittenNode).default({}),
  /** Any object, such as a Pod. */
  objects: z.array(json).default([]),
  /** The EndpointSlice of each Service, or several of them. */
  pods: z.record(z.string(), z.union([z.array(WrittenEndpoint), z.array(z.array(WrittenEndpoint))])).default({}),
  services: z.array(WrittenService).default([]),
  annotate: z.record(z.string(), Annotations).default({}),
  /** `Kind/name` or `Kind/namespace/name`: a JSON merge patch. */
  patch: z.record(z.string(), json).default({}),
  /** In the same way, of the object's status. */
  status: z.record(z.string(), json).default({}),
  delete: z.array(text).default([]),
  /** For how long it is watched what comes of it, such as `10m`; a minute unless told. */
  wait: z
    .string()
    .regex(/^\d+[sm]$/)
    .default('60s'),
});

const WrittenScenario = z.strictObject({
  says: text,
  /** What the cloud has beside the network and the instances of the Nodes. */
  cloud: json.default({}),
  /** How many instances there are; 3 unless told. */
  instances: z.int().default(3),
  settings: json.default({}),
  protected: z.array(text).default([]),
  /** Whether Endpoints are read instead of EndpointSlices. */
  endpoints: z.literal(true).optional(),
  /** Objects are stored without having been judged. */
  webhook: z.literal('away').optional(),
  /** In place of `n1`, `n2` and `n3`. */
  nodes: z.record(z.string(), WrittenNode).optional(),
  steps: z.array(Step).min(1),
});

export type Written = z.output<typeof WrittenScenario>;
export type WrittenStep = z.output<typeof Step>;
export type WrittenService = z.output<typeof WrittenService>;
export type WrittenNode = z.output<typeof WrittenNode>;
export type WrittenEndpoint = z.output<typeof WrittenEndpoint>;

/** A file of scenarios by name. Throws with the file's name and what is wrong. */
export function readScenarios(path: string): ReadonlyMap<string, unknown> {
  try {
    return new Map(
      Object.entries(z.record(z.string(), z.unknown()).parse(parse(readFileSync(path, 'utf8'), { merge: true }))),
    );
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** A scenario as its file has it. Throws with its name and what is wrong. */
export function readScenario(name: string, said: unknown): Written {
  const { data, error } = WrittenScenario.safeParse(said);
  if (error !== undefined) throw new Error(`scenario ${name}: ${z.prettifyError(error)}`);
  return data;
}
