import type { AdmissionCluster } from '../../support/admission-cluster.ts';
import { removeKey, RENAMERS, renameKey, startWithMode } from '../../support/renamed-acl-keys.ts';

/** A user who renames a deprecated key of an access control list must not open the port to all clients. `make soak` has the other modes. */
describe('a client that writes the ACL annotation with a deprecated key, by default,', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startWithMode('auto'));
  });
  after(() => resources.disposeAsync());

  for (const by of RENAMERS) {
    it(`keeps the ACL on when ${by} writes the current key instead`, () => renameKey(cluster, by, 'auto'));
    it(`removes the ACL, or gets a warning about the copied key, when ${by} removes the annotation`, () =>
      removeKey(cluster, by, 'auto'));
  }
});
