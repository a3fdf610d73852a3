import assert from 'node:assert/strict';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { FINALIZER, MARK_LABELS } from '../../../src/rules/engine/controller-metadata.ts';
import { controllerMetadata } from '../../../src/rules/controller-metadata.ts';
import { validate } from '../../../webhook/admission/validate.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

interface MetadataInput {
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly type?: string;
  readonly loadBalancerClass?: string;
}
interface Row {
  readonly before?: MetadataInput;
  readonly after: MetadataInput;
  /** Warnings `field=found`. */
  readonly warns: readonly string[];
  /** True if the warning must mention that the load balancer may stay in the cloud. */
  readonly isLost?: true;
}

const HASH = 'service.beta.kubernetes.io/hash';
const WITH_FINALIZER = [FINALIZER];
const FINALIZER_REMOVED = `metadata.finalizers[${FINALIZER}]=`;

const ROWS: Readonly<Record<string, Row>> = {
  'about a removed finalizer': { before: { finalizers: WITH_FINALIZER }, after: {}, warns: [FINALIZER_REMOVED] },
  'about a removed finalizer on a Service that is being deleted': {
    before: { finalizers: WITH_FINALIZER, deletionTimestamp: '2026-01-02T03:04:05Z' },
    after: { deletionTimestamp: '2026-01-02T03:04:05Z' },
    warns: [FINALIZER_REMOVED],
    isLost: true,
  },
  'about a finalizer that is removed together with the type LoadBalancer': {
    before: { finalizers: WITH_FINALIZER, labels: { [HASH]: 'a' } },
    after: { type: 'ClusterIP' },
    warns: [FINALIZER_REMOVED],
    isLost: true,
  },
  'about a removed finalizer before the cleanup of an abandoned load balancer': {
    before: { finalizers: WITH_FINALIZER, type: 'ClusterIP' },
    after: { type: 'ClusterIP' },
    warns: [FINALIZER_REMOVED],
    isLost: true,
  },
  'about a finalizer that is added by hand': {
    before: {},
    after: { finalizers: WITH_FINALIZER },
    warns: [`metadata.finalizers[${FINALIZER}]=${FINALIZER}`],
  },
  "about a new Service with another Service's labels": {
    after: { labels: { [HASH]: 'a', app: 'web' }, finalizers: WITH_FINALIZER },
    warns: [`metadata.labels[${HASH}]=a`, `metadata.finalizers[${FINALIZER}]=${FINALIZER}`],
  },
  'if the type is no longer LoadBalancer and the finalizer stays': {
    before: { finalizers: WITH_FINALIZER, labels: { [HASH]: 'a' } },
    after: { finalizers: WITH_FINALIZER, type: 'ClusterIP' },
    warns: [],
  },
  'if only foreign labels and finalizers change': {
    before: { labels: { app: 'a' }, finalizers: ['example.com/hold'] },
    after: { labels: { app: 'b' } },
    warns: [],
  },
  'if another controller manages the Service': {
    before: { labels: { [HASH]: 'a' }, loadBalancerClass: 'alibabacloud.com/nlb' },
    after: { labels: { [HASH]: 'b' }, loadBalancerClass: 'alibabacloud.com/nlb' },
    warns: [],
  },
  ...Object.fromEntries(
    MARK_LABELS.flatMap((label): readonly (readonly [string, Row])[] => [
      [
        `about a changed ${label}`,
        {
          before: { labels: { [label]: 'a' } },
          after: { labels: { [label]: 'b' } },
          warns: [`metadata.labels[${label}]=b`],
        },
      ],
      [
        `about a removed ${label}`,
        { before: { labels: { [label]: 'a' } }, after: {}, warns: [`metadata.labels[${label}]=`] },
      ],
      [
        `about an added ${label}`,
        { before: {}, after: { labels: { [label]: 'a' } }, warns: [`metadata.labels[${label}]=a`] },
      ],
    ]),
  ),
};

function serviceOf({ labels, finalizers, deletionTimestamp, type, loadBalancerClass }: MetadataInput): Service {
  const service = aService({ ...(labels === undefined ? {} : { labels }), ...(type === undefined ? {} : { type }) });
  return {
    ...service,
    metadata: {
      ...service.metadata,
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: { ...service.spec, ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }) },
  };
}

/** Labels and finalizer protect the resources of a Service, so users must learn what an edit causes. */
describe('the labels and finalizer of the controller on a Service', () => {
  for (const [title, { before, after, warns, isLost = false }] of Object.entries(ROWS)) {
    it(`cause ${warns.length === 0 ? 'no warning' : 'a warning'} and no denial ${title}`, () => {
      const oldObject = before === undefined ? {} : { oldObject: serviceOf(before) };
      const request = readReview(aReview({ object: serviceOf(after), ...oldObject }));
      const rules = { service: [controllerMetadata], node: [] };
      const { denials, warnings } = validate(request, {
        facts: aFacts(),
        policy: ENFORCE_ALL,
        rules,
        expired: () => false,
      });
      assert.deepEqual(denials, []);
      assert.deepEqual(
        warnings.map(({ violation }) => `${violation.field}=${violation.value}`),
        warns,
      );
      assert.equal(
        warnings.some(
          ({ violation }) => violation.remedy?.includes('the load balancer may stay in the cloud') === true,
        ),
        isLost,
      );
    });
  }
});
