import assert from 'node:assert/strict';
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { CURRENT_KEYS, deprecatedFormsOf } from '../../../../src/annotation/deprecated-key-index.ts';
import { CATALOGUE } from '../../../../src/annotation/catalogue.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { mutate, type DeprecatedKeys } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { WrittenService, mutated, type Texts, type Write } from '../../../support/annotation-writers.ts';
import { anyAnnotations, anyService } from '../../../support/any-service.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const RUNS = { numRuns: 500, seed: 1 };
const NEW = CATALOGUE.scheduler.key;
const [OLD = ''] = deprecatedFormsOf(NEW);
const OTHER = 'example.com/team';

const anyHandling = fc.constantFrom<DeprecatedKeys>('auto', 'keep', 'replace');
const anyTexts: fc.Arbitrary<Texts> = fc.dictionary(fc.constantFrom(OLD, NEW, OTHER), fc.constantFrom('1', '2', '3'));
const APPLIERS = ['client-side', 'argo-client-side', 'server-side', 'argo-server-side'] as const;
const anyEdit = fc.constantFrom('annotate' as const, 'patch' as const, 'edit' as const);
const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ by: fc.constantFrom(...APPLIERS.slice(0, 2)), manifest: anyTexts }),
  fc.record({ by: fc.constantFrom(...APPLIERS.slice(2)), manifest: anyTexts }),
  fc.record({ by: fc.constantFrom('put' as const, 'replace' as const), manifest: anyTexts }),
  fc.record({ by: fc.constant('chart' as const), manifest: anyTexts, last: anyTexts }),
  fc.record({ by: anyEdit, set: anyTexts, unset: fc.subarray([OLD, NEW, OTHER]) }),
);

/** Each tool writes annotations in its own way, but the rewrite must never lose a value or repeat forever. */
describe('the rewrite of deprecated keys', () => {
  it('is idempotent for all combinations of writers', () => {
    fc.assert(
      fc.property(fc.array(anyWrite, { maxLength: 6 }), anyHandling, (writes, handling) => {
        const service = new WrittenService(handling);
        for (const write of writes) assert.deepEqual(service.write(write).again.patch, []);
      }),
      RUNS,
    );
  });

  const isPlain = (texts: Texts): boolean => texts[OLD] === undefined || texts[NEW] === undefined;
  /** Returns whether the effective value of a write is unambiguous. A write of both keys is unambiguous only as an apply. */
  const isClear = (write: Write): boolean => {
    if (write.by === 'chart') return isPlain({ ...write.manifest, ...write.last });
    if (write.by === 'put' || write.by === 'replace') return isPlain(write.manifest);
    return !('set' in write) || isPlain(write.set);
  };
  const anyClearWrite = anyWrite.filter(isClear);
  it('changes nothing if the same request is repeated', () => {
    fc.assert(
      fc.property(fc.array(anyClearWrite, { maxLength: 5 }), anyClearWrite, anyHandling, (writes, last, handling) => {
        const service = new WrittenService(handling);
        for (const write of writes) service.write(write);
        service.write(last);
        const { annotations } = service;
        service.write(last.by === 'chart' ? { ...last, last: last.manifest } : last);
        assert.deepEqual(service.annotations, annotations);
      }),
      RUNS,
    );
  });

  it('loses no annotation that the manifest has in either form, after any writer', () => {
    fc.assert(
      fc.property(fc.array(anyWrite, { maxLength: 6 }), anyHandling, (writes, handling) => {
        const service = new WrittenService(handling);
        for (const write of writes) {
          service.write(write);
          const wanted = 'set' in write ? write.set : write.manifest;
          const isWanted = wanted[OLD] !== undefined || wanted[NEW] !== undefined;
          if (isWanted) assert.notEqual(service.annotations[NEW], undefined);
        }
      }),
      { ...RUNS, numRuns: 2_000 },
    );
  });

  for (const by of APPLIERS) {
    it(`follows each manifest of ${by} apply, with either key`, () => {
      const anyManifests = fc.array(anyTexts, { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(anyManifests, anyHandling, (manifests, handling) => {
          const service = new WrittenService(handling);
          for (const manifest of manifests) {
            service.write({ by, manifest });
            assert.equal(service.annotations[NEW], manifest[NEW] ?? manifest[OLD]);
            assert.equal(service.annotations[OTHER], manifest[OTHER]);
          }
        }),
        RUNS,
      );
    });
  }

  it('follows each manifest of a chart tool, but keeps the current key if the old key is removed', () => {
    const anyManifests = fc.array(anyTexts.filter(isPlain), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(anyManifests, fc.constantFrom<DeprecatedKeys>('auto', 'keep'), (manifests, handling) => {
        const service = new WrittenService(handling);
        let last: Texts = {};
        for (const manifest of manifests) {
          const before = service.annotations[NEW];
          const { warnings = [] } = service.write({ by: 'chart', manifest, last }).answer;
          const left = last[NEW] === undefined ? before : undefined;
          assert.equal(service.annotations[NEW], manifest[NEW] ?? manifest[OLD] ?? left);
          const isOutlived =
            last[OLD] !== undefined && manifest[OLD] === undefined && before === service.annotations[NEW];
          assert.equal(
            warnings.some((text) => text.includes('is removed, and its copy')),
            isOutlived,
          );
          last = manifest;
        }
      }),
      RUNS,
    );
  });

  const shuffled = (annotations: Texts): Texts => Object.fromEntries(Object.entries(annotations).reverse());
  it('does not depend on the order of the keys', () => {
    fc.assert(
      fc.property(anyAnnotations, anyHandling, (annotations, handling) => {
        const patchOf = (object: Service) => mutate(readReview(aReview({ object })), handling);
        assert.deepEqual(patchOf(aService({ annotations: shuffled(annotations) })), patchOf(aService({ annotations })));
      }),
      RUNS,
    );
  });

  const step = (path: string): string => path.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '';
  it('changes only deprecated keys and their current keys, each once', () => {
    const known = new Set([...CURRENT_KEYS.keys(), ...CURRENT_KEYS.values()]);
    fc.assert(
      fc.property(anyService, anyService, anyHandling, (oldObject, object, handling) => {
        const { patch = [] } = mutate(readReview(aReview({ oldObject, object })), handling);
        const annotations: Texts = object.metadata.annotations ?? {};
        for (const operation of patch) {
          const key = step(operation.path);
          assert.ok(operation.path.startsWith('/metadata/annotations/') && known.has(key), operation.path);
          assert.notEqual(operation.op === 'remove' ? undefined : operation.value, annotations[key]);
        }
        assert.equal(new Set(patch.map(({ path }) => path)).size, patch.length);
      }),
      RUNS,
    );
  });

  /** Parses numbers with their exact text, which JavaScript numbers cannot represent. */
  const literally = (text: string): unknown =>
    JSON.parse(text, (_key: string, value: unknown, { source }: { source?: string } = {}) =>
      typeof value === 'number' && source !== undefined ? rawJson(source) : value,
    );
  const rawJson = (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON;
  const ofTheFuture = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
  const numbers = fc.constantFrom('9007199254740993', '1.0', '1e400', '-0', '0.1000');
  it('leaves fields of a newer API unchanged, byte for byte', () => {
    fc.assert(
      fc.property(anyAnnotations, ofTheFuture, numbers, anyHandling, (annotations, unknown, number, handling) => {
        const unknownFields = `"ofTheFuture":${unknown},"exactly":${number}`;
        const wrapped = (texts: string): string =>
          `{"apiVersion":"v1","kind":"Service",${unknownFields},"metadata":{"name":"web",${unknownFields},"annotations":${texts}},` +
          `"spec":{"type":"LoadBalancer",${unknownFields},"ports":[{"port":80,${unknownFields}}]},"status":{${unknownFields}}}`;
        const text = wrapped(JSON.stringify(annotations));
        const { patch = [] } = mutate(readReview(aReview({ object: JSON.parse(text) as object })), handling);
        const document = literally(text) as { metadata: { annotations: Texts } };
        fastJsonPatch.applyPatch(document, structuredClone([...patch]));
        assert.equal(JSON.stringify(document), wrapped(JSON.stringify(document.metadata.annotations)));
      }),
      RUNS,
    );
  });

  it('keeps the additions of a foreign webhook, in either order of the webhooks', () => {
    const foreign = (service: Service, added: Texts): Service => ({
      ...service,
      metadata: { ...service.metadata, annotations: { ...service.metadata.annotations, ...added } },
    });
    fc.assert(
      fc.property(anyService, fc.constantFrom('1', '2'), anyHandling, (service, value, handling) => {
        const fieldManager = 'kubectl-client-side-apply';
        const ours = (object: Service): Service => mutated({ object, fieldManager }, handling).object;
        const added = { 'mesh.example.com/injected': value };
        assert.deepEqual(ours(foreign(service, added)), foreign(ours(service), added));
        assert.deepEqual(
          ours(foreign(ours(service), { [OLD]: value })).metadata.annotations?.[NEW] !== undefined,
          true,
        );
      }),
      RUNS,
    );
  });
});
