import { z } from 'zod';

const text = z.string().min(1);
const date = z.iso.datetime({ offset: true });
const labels = z.record(z.string(), z.string());
/** A Service or a part of a Service. */
const service = z.looseObject({});

/** The expected result for a Service. */
export const Expectation = z.union(
  [
    z.enum(['accepted', 'denied']),
    z.strictObject({
      /** All rules that deny the Service. Undefined if no rule denies the Service. */
      denied: z.array(text).optional(),
      /** All rules that warn. Undefined to skip the check. */
      warned: z.array(text).optional(),
      /** All defaults that are set, by the key without the prefix `alibaba-cloud-loadbalancer-`. Undefined to skip the check. */
      defaults: z.record(z.string(), z.string()).optional(),
    }),
  ],
  { error: 'must be accepted, denied, or a map with denied, warned and defaults' },
);

/** The shape of a `PolicyTest` file, which states the expected results of policies. */
export const TestShape = z.strictObject({
  apiVersion: z.string(),
  kind: z.literal('PolicyTest'),
  metadata: z.looseObject({ name: text }).optional(),
  /** Files with policies and exceptions. Undefined if the file of the test contains them. */
  policies: z.array(text).min(1).optional(),
  /** A file with facts about the cloud. Undefined if the file of the test contains the facts, or the test needs none. */
  facts: text.optional(),
  now: date.optional(),
  /** The labels of namespaces, by name. */
  namespaces: z.record(z.string(), labels).optional(),
  services: z.array(service).optional(),
  cases: z
    .array(
      z.strictObject({
        name: text,
        now: date.optional(),
        namespaceLabels: labels.optional(),
        stored: service.optional(),
        service,
        expect: Expectation,
      }),
    )
    .min(1),
});
