import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import type { Service } from '../../../src/objects.ts';
import { mutate } from '../../../webhook/mutate.ts';
import { readReview } from '../../../webhook/review.ts';
import { aReview, type ReviewSaid } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const OTHER = 'example.com/own';
const MARKS = {
  'portcullis.io/digest': 'd',
  'service.beta.kubernetes.io/hash': 'h',
};
const CLASS = { 'service.beta.kubernetes.io/class': 'x' };
const NLB = { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type': 'nlb' };

interface Said {
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}
function serviceOf({ finalizers, deletionTimestamp, ...said }: Said): Service {
  const service = aService(said);
  const added = {
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
  return { ...service, metadata: { ...service.metadata, ...added } };
}

const STORED: Said = { labels: { team: 'a', ...MARKS }, finalizers: [OTHER, FINALIZER] };
const deletionTimestamp = '2026-01-02T03:04:05Z';
/** How it is written: a manifest from a file names no UID, a stored object that was changed does. */
const REPLACE = 'manifest';
const PATCH = 'changed';
type Way = typeof REPLACE | typeof PATCH;

const asFile = ({ metadata, ...service }: Service): Service => ({ ...service, metadata: { ...metadata, uid: '' } });

function written(after: Said, way: Way, before: Said = STORED) {
  const review = (object: Service): ReviewSaid => ({ object, oldObject: serviceOf(before) });
  const patched = (object: Service): readonly [Service, readonly string[]] => {
    const { patch = [], warnings = [] } = mutate(readReview(aReview(review(object))), 'auto');
    return [fastJsonPatch.applyPatch(structuredClone(object), structuredClone([...patch])).newDocument, warnings];
  };
  const [object, warnings] = patched(way === REPLACE ? asFile(serviceOf(after)) : serviceOf(after));
  assert.deepEqual(patched(object)[0], object, 'what is kept is kept once');
  return { labels: object.metadata.labels, finalizers: object.metadata.finalizers, warnings };
}

describe('what the controller wrote on a Service', () => {
  const said = [
    `Service shop/web: the finalizer ${FINALIZER} stays: by it the controller cleans up what the Service has in the cloud`,
  ];
  const all = { labels: MARKS, finalizers: [FINALIZER] };
  const kept: Readonly<Record<string, readonly [Said, Way, object, Said?]>> = {
    'stays where a manifest of another type is put in its place': [
      { type: 'ClusterIP' },
      REPLACE,
      { ...all, warnings: said },
    ],
    'stays where a manifest for another controller is': [{ annotations: CLASS }, REPLACE, { ...all, warnings: said }],
    'stays where a manifest with a type is, which is not heeded then': [
      { annotations: NLB },
      REPLACE,
      { ...all, warnings: [] },
    ],
    'stays where a manifest is that changes nothing of this, beside what that says': [
      { labels: { team: 'b' }, finalizers: [OTHER] },
      REPLACE,
      { labels: { team: 'b', ...MARKS }, finalizers: [OTHER, FINALIZER], warnings: [] },
    ],
    'stays where a manifest is once more while the load balancer is being given up': [
      { type: 'ClusterIP' },
      REPLACE,
      { ...all, warnings: said },
      { ...STORED, type: 'ClusterIP' },
    ],
    'stays where a manifest of another type is, and nothing was recorded yet': [
      { type: 'ClusterIP' },
      REPLACE,
      { labels: undefined, finalizers: [FINALIZER], warnings: said },
      { finalizers: [FINALIZER] },
    ],
    'stays where a manifest is while the Service is being deleted, which that does not undo': [
      { labels: { team: 'b' } },
      REPLACE,
      { labels: { team: 'b', ...MARKS }, finalizers: [FINALIZER], warnings: said },
      { ...STORED, deletionTimestamp },
    ],
    'stays where a manifest is while the Service is being deleted, and nothing was recorded yet': [
      {},
      REPLACE,
      { labels: undefined, finalizers: [FINALIZER], warnings: said },
      { finalizers: [FINALIZER], deletionTimestamp },
    ],
    'stays where a manifest is while a Service is being deleted of which the finalizer alone was left': [
      { type: 'ClusterIP' },
      REPLACE,
      { labels: undefined, finalizers: [FINALIZER], warnings: said },
      { type: 'ClusterIP', finalizers: [FINALIZER], deletionTimestamp },
    ],
  };
  for (const [sentence, [after, way, expected, before]] of Object.entries(kept)) {
    it(sentence, () => {
      assert.deepEqual(written(after, way, before), expected);
    });
  }

  const gone: Readonly<Record<string, readonly [Said, Way, Said?]>> = {
    'goes where the finalizer alone is taken off': [{ labels: MARKS }, PATCH],
    'goes where an object without the finalizer is put in its place': [{ labels: MARKS }, REPLACE],
    'goes where a patch takes the finalizer with the type, which is refused then': [
      { type: 'ClusterIP', labels: MARKS },
      PATCH,
    ],
    'goes where an object without the finalizer and of another type is put in its place, which is refused then': [
      { type: 'ClusterIP', labels: MARKS },
      REPLACE,
    ],
    'goes with a patch, as controllers let a Service go': [
      { type: 'ClusterIP' },
      PATCH,
      { ...STORED, type: 'ClusterIP' },
    ],
    'goes where the finalizer alone was left': [
      { type: 'ClusterIP' },
      REPLACE,
      { type: 'ClusterIP', finalizers: [FINALIZER] },
    ],
    'goes with a patch while the Service is being deleted, so that it can be ended': [
      { deletionTimestamp },
      PATCH,
      { ...STORED, deletionTimestamp },
    ],
    'goes where an object without the finalizer is put in its place while it is being deleted': [
      { labels: MARKS },
      REPLACE,
      { ...STORED, deletionTimestamp },
    ],
    'is not put on what had none': [{ type: 'ClusterIP' }, REPLACE, { labels: MARKS }],
  };
  for (const [sentence, [after, way, before]] of Object.entries(gone)) {
    it(sentence, () => {
      const { labels, finalizers } = serviceOf(after).metadata;
      assert.deepEqual(written(after, way, before), { labels, finalizers, warnings: [] });
    });
  }
});
