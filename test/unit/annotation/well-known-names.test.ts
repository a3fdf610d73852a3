import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MARK_KINDS, WELL_KNOWN, wellKnownOfKind, type MarkKind } from '../../../src/annotation/well-known-names.ts';
import { EXCLUDE_NODE_LABELS } from '../../../src/node/kind.ts';
import { CLUSTER_TAG, OWNER_TAG, REUSED_TAG } from '../../../src/clb/model/naming.ts';
import { FINALIZER, MARK_LABELS } from '../../../src/rules/engine/controller-metadata.ts';

const namesOf = (kind: MarkKind): readonly string[] => wellKnownOfKind(kind).map(({ name }) => name);

/** Webhook, rules and match conditions read the same labels, tags and finalizers, so one list must define them. */
describe('labels, tags and finalizers', () => {
  it('have unique names', () => {
    const names = Object.values(WELL_KNOWN).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });

  it('have a documented kind', () => {
    const shown = (Object.keys(MARK_KINDS) as MarkKind[]).flatMap(wellKnownOfKind);
    assert.equal(shown.length, Object.keys(WELL_KNOWN).length);
  });

  it('are replaced only by names of the same list', () => {
    const names = Object.values(WELL_KNOWN).map(({ name }): string => name);
    for (const mark of Object.values(WELL_KNOWN)) {
      if ('replacedBy' in mark) assert.ok(names.includes(mark.replacedBy), mark.name);
    }
  });

  it('on Services are those that the webhook guards', () => {
    assert.deepEqual([...namesOf('service-label')].sort(), [...MARK_LABELS].sort());
    assert.ok(namesOf('finalizer').includes(FINALIZER));
  });

  it('on Services are those that match conditions select', () => {
    const text = readFileSync(
      join(import.meta.dirname, '../../../manifests/webhook/validating-webhook-configuration.yaml'),
      'utf8',
    );
    for (const mark of [FINALIZER, ...MARK_LABELS]) assert.ok(text.includes(`'${mark}'`), mark);
  });

  it('on Nodes and load balancers are those that the controller reads', () => {
    for (const label of EXCLUDE_NODE_LABELS) assert.ok(namesOf('node-label').includes(label), label);
    for (const tag of [OWNER_TAG, CLUSTER_TAG, REUSED_TAG]) assert.ok(namesOf('cloud-tag').includes(tag), tag);
  });
});
