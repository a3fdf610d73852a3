import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REMEDIED, remedyOf } from '../../../src/status/remedies.ts';
import { root } from '../../support/manifests.ts';

const page = readFileSync(join(root, 'docs/reference/events-and-conditions.md'), 'utf8');

/** Returns the reasons in the table of a section. */
function reasonsIn(heading: string): readonly string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason = '']) => reason);
}

/** The status prints a remedy for each documented reason of a Service that is not ready. */
describe('the remedies of the status', () => {
  it('cover every documented reason of a Service that is not ready', () => {
    const reasons = [...reasonsIn('Errors'), ...reasonsIn('Conditions of Services')];
    assert.ok(reasons.length > 30);
    assert.deepEqual(
      reasons.filter((reason) => !REMEDIED.has(reason)),
      ['EnsuredLoadBalancer'],
    );
    assert.deepEqual(
      [...REMEDIED].filter((reason) => !reasons.includes(reason)),
      ['Pending'],
    );
  });

  it('refer to the message for a reason of a later version', () =>
    assert.equal(remedyOf('Later'), 'read the message of the condition'));
});
