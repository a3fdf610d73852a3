import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/manifests.ts';
import { gathered } from '../support/permission-usage/recorded-uses.ts';

interface Policy {
  readonly Statement: readonly { readonly Action: readonly string[] }[];
}

/** The suite that calls every method of the cloud clients. Its calls are left out, because they do not prove that the controller needs an action. */
const CONTRACT = 'contract';

/** An action that no call uses is a needless risk for the account. */
describe('the calls that the RAM policy allows', () => {
  const policy = JSON.parse(readFileSync(join(root, 'manifests/ram/policy.json'), 'utf8')) as Policy;
  const allowed = policy.Statement.flatMap(({ Action }) => Action).sort();
  let called: readonly string[] = [];

  before(() => {
    called = [...gathered('calls', [CONTRACT]).keys()].sort();
  });

  it('are all used by the controller', () => {
    assert.deepEqual(
      allowed.filter((action) => !called.includes(action)),
      [],
    );
  });

  it('include every call of the controller', () => {
    assert.deepEqual(
      called.filter((action) => !allowed.includes(action)),
      [],
    );
  });
});
