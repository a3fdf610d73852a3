import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import {
  rewrite,
  type KeyGroup,
  type KeyRequest,
  type Rewrite,
  type Side,
} from '../../webhook/mutate/deprecated-keys.ts';
import type { KeyHandling } from '../../webhook/mutate/current-key-decisions.ts';

const GROUP: KeyGroup = { current: 'x/new', deprecatedForms: ['x/old', 'x/Old'] };
export const OLD = 'x/old';
export const NEW = 'x/new';

/** One object of a request: the values of both keys, and their field ownership. */
export interface SideInput {
  readonly old?: string;
  readonly new?: string;
  /** The keys in the last-applied annotation. */
  readonly manifest?: readonly string[];
  /** The keys that a manager of server-side apply owns. */
  readonly applied?: readonly string[];
  /** The keys that a manager without server-side apply owns. */
  readonly owned?: readonly string[];
  readonly isUnreadable?: true;
}

/** Returns one side of a request. */
export function side(input: SideInput = {}): Side {
  const values = {
    ...(input.old === undefined ? {} : { [OLD]: input.old }),
    ...(input.new === undefined ? {} : { [NEW]: input.new }),
  };
  const lastApplied = input.manifest === undefined ? {} : { lastApplied: new Set(input.manifest) };
  const isComplete = input.isUnreadable !== true;
  return {
    values,
    ownership: { ...lastApplied, applied: new Set(input.applied), updated: new Set(input.owned), isComplete },
  };
}

/** Rewrites the two keys of these tests, as the mutating webhook does for a deprecated and a current key. */
export const rewritten = (handling: KeyHandling, request: KeyRequest): Rewrite =>
  rewrite([GROUP], request, () => handling);

/** Returns the annotations after the rewrite. Asserts that its operations and its values yield the same annotations. */
export function stored(handling: KeyHandling, request: KeyRequest): Readonly<Record<string, string>> {
  const { operations, values } = rewritten(handling, request);
  const document = { metadata: { annotations: { ...request.after.values } } };
  const { annotations } = fastJsonPatch.applyPatch(document, structuredClone([...operations])).newDocument.metadata;
  assert.deepEqual(values, annotations);
  return annotations;
}

/** A request, the annotations that it stores, and its warning. */
export interface KeyCase {
  readonly before?: SideInput;
  readonly after: SideInput;
  /** True if a server-side apply writes. */
  readonly isApply?: true;
  readonly stored: Readonly<Record<string, string>>;
  readonly warns?: 'contradictions' | 'removedCopies' | 'keptCopies';
}

/** Tests each case, and that a rewrite of its result changes nothing. The unit tests of each `--deprecated-keys` mode call it. */
export function testKeyCases(handling: KeyHandling, cases: Readonly<Record<string, KeyCase>>): void {
  for (const [title, { after, before, isApply, stored: expected, warns }] of Object.entries(cases)) {
    const request = { after: side(after), before: side(before), isApply: isApply === true };
    it(title, () => {
      assert.deepEqual(stored(handling, request), expected);
      const { contradictions, removedCopies, keptCopies } = rewritten(handling, request);
      const warned = Object.entries({ contradictions, removedCopies, keptCopies }).filter(
        ([, pairs]) => pairs.length > 0,
      );
      assert.deepEqual(
        warned.map(([what]) => what),
        warns === undefined ? [] : [warns],
      );
    });

    it(`${title}, and changes nothing on reinvocation`, () => {
      const values = stored(handling, request);
      assert.deepEqual(rewritten(handling, { ...request, after: { ...request.after, values } }).operations, []);
    });
  }
}
