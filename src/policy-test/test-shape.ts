import { z } from 'zod';

const text = z.string().min(1);
const date = z.iso.datetime({ offset: true });
const labels = z.record(z.string(), z.string());
/** A Service or a part of a Service. */
const service = z.looseObject({});

/** The expected result for a Service. */
export const Expectation = z
  .union(
    [
      z.enum(['accepted', 'denied']),
      z.strictObject({
        denied: z
          .array(text)
          .optional()
          .describe(
            'All rules that deny the Service, such as policy/internal/intranet-only. If absent, no rule denies it.',
          ),
        warned: z.array(text).optional().describe('All rules that warn. If absent, warnings are not compared.'),
        defaults: z
          .record(z.string(), z.string())
          .optional()
          .describe(
            'All annotations that the policies add, without the prefix service.beta.kubernetes.io/alibaba-cloud-loadbalancer-. If absent, they are not compared.',
          ),
      }),
    ],
    { error: 'must be accepted, denied, or a map with denied, warned and defaults' },
  )
  .describe('The expected result. accepted: no rule denies the Service. denied: a rule denies it.');

const Case = z.strictObject({
  name: text.describe('The name of the case, as a sentence.'),
  now: date.optional().describe('The time of the evaluation, for this case.'),
  namespaceLabels: labels.optional().describe("The labels of the Service's namespace, for this case."),
  stored: service.optional().describe('The Service as it is stored. If absent, the case is a creation.'),
  service: service.describe(
    'The Service, or a part of it. The defaults of absent fields are the name web, the namespace default, the type LoadBalancer, and port 80.',
  ),
  expect: Expectation,
});

/** The shape of a `PolicyTest`. `policy test` rejects a `PolicyTest` of another shape, and editors complete fields by a schema of this shape. */
export const TestShape = z.strictObject({
  apiVersion: z.literal('portcullis.io/v1alpha1'),
  kind: z.literal('PolicyTest'),
  metadata: z.looseObject({ name: text.describe('The name of the test, which the report shows.') }).optional(),
  policies: z
    .array(text)
    .min(1)
    .optional()
    .describe(
      'Files and folders with the policies and exceptions of the test, relative to the test. If absent, all policies and exceptions in the files given to the command policy test.',
    ),
  facts: text
    .optional()
    .describe(
      "A file with the inventory, relative to the test. If absent, the inventory objects in other YAML documents of the test's file.",
    ),
  now: date.optional().describe('The time of the evaluation. If absent, the current time.'),
  namespaces: z.record(z.string(), labels).optional().describe('The labels by namespace.'),
  services: z.array(service).optional().describe('Other Services of the cluster, which quotas count.'),
  cases: z.array(Case).min(1).describe('The Services and their expected results.'),
});
