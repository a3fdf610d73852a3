import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { kubectlOf } from '../../support/kubectl.ts';

/** kubectl caches discovery by address, and test servers reuse addresses. */
describe('the kubectl of tests', () => {
  it('separates the discovery cache of its server from other servers at the same address', async () => {
    using folder = temporaryFolder();
    const program = join(folder.path, 'kubectl');
    writeFileSync(program, '#!/bin/sh\nprintf %s "$KUBECACHEDIR"\n', { mode: 0o755 });
    const { kubectl } = kubectlOf(program, join(folder.path, 'kubeconfig'));
    assert.equal(await kubectl('get', 'pods'), join(folder.path, 'kubectl-cache'));
  });
});
