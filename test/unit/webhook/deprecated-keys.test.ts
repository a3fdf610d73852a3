import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import fc from 'fast-check';
import { rewrite, type Handling, type KeyGroup, type Side } from '../../../webhook/deprecated-keys.ts';

const GROUP: KeyGroup = { current: 'x/new', olds: ['x/old', 'x/Old'] };
const OLD = 'x/old';
const NEW = 'x/new';

interface SideSaid {
  readonly old?: string;
  readonly new?: string;
  /** In the manifest that `kubectl apply` keeps. */
  readonly manifest?: readonly string[];
  /** Owned by a manager of server-side apply. */
  readonly applied?: readonly string[];
  /** Owned by anybody else. */
  readonly owned?: readonly string[];
}

function side(said: SideSaid = {}): Side {
  const values = {
    ...(said.old === undefined ? {} : { [OLD]: said.old }),
    ...(said.new === undefined ? {} : { [NEW]: said.new }),
  };
  const manifest = said.manifest === undefined ? {} : { manifest: new Set(said.manifest) };
  return { values, declared: { ...manifest, applied: new Set(said.applied), updated: new Set(said.owned) } };
}

function stored(handling: Handling, after: Side, before: Side): Readonly<Record<string, string>> {
  const { operations } = rewrite([GROUP], after, before, handling);
  const document = { metadata: { annotations: { ...after.values } } };
  return fastJsonPatch.applyPatch(document, structuredClone([...operations])).newDocument.metadata.annotations;
}

interface Row {
  readonly before?: SideSaid;
  readonly after: SideSaid;
  readonly stored: Readonly<Record<string, string>>;
  readonly contradiction?: true;
}

const KEEP: Record<string, Row> = {
  'gives a new Service the current key beside the old one': {
    after: { old: '1' },
    stored: { [OLD]: '1', [NEW]: '1' },
  },
  'gives a stored Service the current key at its next change': {
    before: { old: '1' },
    after: { old: '1' },
    stored: { [OLD]: '1', [NEW]: '1' },
  },
  'carries a change of the old key over': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '1' },
    stored: { [OLD]: '2', [NEW]: '2' },
  },
  'brings the current key back when only that is taken away': {
    before: { old: '1', new: '1' },
    after: { old: '1' },
    stored: { [OLD]: '1', [NEW]: '1' },
  },
  'leaves a change of the current key alone': {
    before: { old: '1', new: '1' },
    after: { old: '1', new: '2' },
    stored: { [OLD]: '1', [NEW]: '2' },
  },
  'lets the current key win when both change, and says so': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '3' },
    stored: { [OLD]: '2', [NEW]: '3' },
    contradiction: true,
  },
  'lets the current key win when the old one changes and a manifest names the current one, and says so': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '1', manifest: [OLD, NEW] },
    stored: { [OLD]: '2', [NEW]: '1' },
    contradiction: true,
  },
  'lets the current key win on creation, and says so': {
    after: { old: '2', new: '3' },
    stored: { [OLD]: '2', [NEW]: '3' },
    contradiction: true,
  },
  'has nothing to say when both change to the same': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '2' },
    stored: { [OLD]: '2', [NEW]: '2' },
  },
  'takes the current key away with the old one': {
    before: { old: '1', new: '1' },
    after: { new: '1' },
    stored: {},
  },
  'keeps the current key when the old one goes and a manifest names the current one': {
    before: { old: '1', new: '1' },
    after: { new: '1', manifest: [NEW] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key when the old one goes and somebody applies the current one': {
    before: { old: '1', new: '1' },
    after: { new: '1', applied: [NEW] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key when the old one goes and the two were different': {
    before: { old: '1', new: '2' },
    after: { new: '2' },
    stored: { [NEW]: '2' },
  },
  'keeps the current key when the old one goes and the current one changes': {
    before: { old: '1', new: '1' },
    after: { new: '2' },
    stored: { [NEW]: '2' },
  },
};

const REPLACE: Record<string, Row> = {
  'stores the current key in place of the old one': { after: { old: '1' }, stored: { [NEW]: '1' } },
  'takes the value of the old key over the one stored before': {
    before: { new: '1' },
    after: { old: '2', new: '1' },
    stored: { [NEW]: '2' },
  },
  'changes nothing when the same manifest is applied again': {
    before: { new: '1', manifest: [OLD] },
    after: { old: '1', new: '1', manifest: [OLD] },
    stored: { [NEW]: '1' },
  },
  'lets the current key win when the request changes it, and says so': {
    before: { new: '1' },
    after: { old: '2', new: '3' },
    stored: { [NEW]: '3' },
    contradiction: true,
  },
  'lets the current key win when a manifest names it, and says so': {
    before: { new: '1' },
    after: { old: '2', new: '1', manifest: [NEW] },
    stored: { [NEW]: '1' },
    contradiction: true,
  },
  'lets the current key win when somebody applies it, and says so': {
    before: { new: '1' },
    after: { old: '2', new: '1', applied: [NEW] },
    stored: { [NEW]: '1' },
    contradiction: true,
  },
  'lets the current key win when both are stored and nobody asks for the old one, and says so': {
    before: { old: '2', new: '1' },
    after: { old: '2', new: '1' },
    stored: { [NEW]: '1' },
    contradiction: true,
  },
  'takes the value of the old key when both are stored and a manifest names the old one': {
    before: { old: '2', new: '1' },
    after: { old: '2', new: '1', manifest: [OLD] },
    stored: { [NEW]: '2' },
  },
  'has nothing to say when both are the same': { after: { old: '1', new: '1' }, stored: { [NEW]: '1' } },
  'takes the current key away when the old one leaves the manifest': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '1', manifest: [] },
    stored: {},
  },
  'takes the current key away when nobody applies the old one any more': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1' },
    stored: {},
  },
  'keeps the current key while somebody else still applies the old one': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1', applied: [OLD] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key when the manifest goes over to it': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '1', manifest: [NEW] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key when somebody owns it': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1', owned: [NEW] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key when the whole manifest goes': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '1' },
    stored: { [NEW]: '1' },
  },
  'keeps the current key when another writer has just taken the old one over': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1', owned: [OLD] },
    stored: { [NEW]: '1' },
  },
  'takes the current key away although the first writer of the old one is still on record': {
    before: { new: '1', applied: [OLD], owned: [OLD] },
    after: { new: '1', owned: [OLD] },
    stored: {},
  },
  'takes the current key away with the manifest, whoever has written it meanwhile': {
    before: { new: '1', manifest: [OLD], owned: [NEW] },
    after: { new: '1', manifest: [], owned: [NEW] },
    stored: {},
  },
  'keeps the current key when it changes as the old one leaves': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '2', manifest: [] },
    stored: { [NEW]: '2' },
  },
  'cannot see an old key taken away that was never declared': {
    before: { new: '1' },
    after: { new: '1' },
    stored: { [NEW]: '1' },
  },
};

describe('deprecated keys', () => {
  for (const [handling, rows] of [
    ['keep', KEEP],
    ['replace', REPLACE],
  ] as const) {
    for (const [sentence, row] of Object.entries(rows)) {
      it(`${handling} ${sentence}`, () => {
        const after = side(row.after);
        const before = side(row.before);
        assert.deepEqual(stored(handling, after, before), row.stored);
        const { contradictions } = rewrite([GROUP], after, before, handling);
        assert.equal(contradictions.length, row.contradiction === true ? 1 : 0);
      });
    }
  }

  it('keep leaves a copy whose loss would be refused, and says so', () => {
    const [after, before] = [side({ new: '1' }), side({ old: '1', new: '1' })];
    const { operations, gone, orphans } = rewrite([{ ...GROUP, stays: 'fixed' }], after, before, 'keep');
    assert.deepEqual([operations, gone, orphans], [[], [], [{ old: OLD, current: NEW, stays: 'fixed' }]]);
  });

  it('escapes keys in the paths of its operations', () => {
    const group = { current: 'a~b/new', olds: ['a~b/old'] };
    const after = { ...side(), values: { 'a~b/old': '1' } };
    assert.deepEqual(rewrite([group], after, side(), 'replace').operations, [
      { op: 'add', path: '/metadata/annotations/a~0b~1new', value: '1' },
      { op: 'remove', path: '/metadata/annotations/a~0b~1old' },
    ]);
  });

  it('are rewritten once: a second turn over the result of the same request does nothing', () => {
    const value = fc.option(fc.constantFrom('1', '2'), { nil: undefined });
    const keys = fc.subarray([OLD, NEW]);
    const anySide = fc.record(
      { old: value, new: value, manifest: keys, applied: keys, owned: keys },
      { requiredKeys: ['old', 'new', 'applied', 'owned'] },
    );
    fc.assert(
      fc.property(anySide, anySide, fc.constantFrom<Handling>('keep', 'replace'), (now, then, handling) => {
        const after = side(ofOneWriter(now as SideSaid, then as SideSaid));
        const before = side(then as SideSaid);
        const values = stored(handling, after, before);
        const again = rewrite([GROUP], { ...after, values }, before, handling);
        assert.deepEqual(again.operations, []);
      }),
      { numRuns: 5_000, seed: 1 },
    );
  });
});

/** As the API server has it: who writes the old key owns it now, and a manifest that stays has not lost it. */
function ofOneWriter(after: SideSaid, before: SideSaid): SideSaid {
  const { applied = [], owned = [], manifest, ...values } = after;
  if (after.old === undefined) return after;
  const taken = { applied: applied.filter((key) => key !== OLD), owned: [...owned, OLD] };
  const fresh = before.owned?.includes(OLD) === true ? { applied: [...applied, OLD], owned } : taken;
  return { ...values, ...fresh, ...(manifest === undefined ? {} : { manifest: [...manifest, OLD] }) };
}
