import { z } from 'zod';

const text = z.string().min(1);
const date = z.iso.datetime({ offset: true });
const labels = z.record(z.string(), z.string());
/** A Service, or what matters of one. */
const service = z.looseObject({});

/** What is to come of a Service. */
export const Expectation = z.union(
  [
    z.enum(['accepted', 'denied']),
    z.strictObject({
      /** The rules that deny it, all of them; none where this is absent. */
      denied: z.array(text).optional(),
      /** The rules that warn, all of them; not looked at where this is absent. */
      warned: z.array(text).optional(),
      /** By what follows `alibaba-cloud-loadbalancer-`, everything that is filled in; not looked at where this is absent. */
      defaults: z.record(z.string(), z.string()).optional(),
    }),
  ],
  { error: 'write accepted, denied, or a map with denied, warned and defaults' },
);

/** Cases for policies, as people write them. */
export const TestShape = z.strictObject({
  apiVersion: z.string(),
  kind: z.literal('PolicyTest'),
  metadata: z.looseObject({ name: text }).optional(),
  /** Files with policies and exceptions; those beside the test where this is absent. */
  policies: z.array(text).min(1).optional(),
  /** A file with what is known of the cloud; what stands beside the test where this is absent. */
  facts: text.optional(),
  now: date.optional(),
  /** Labels by namespace. */
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
