import type { DeprecatedKeys } from '../../webhook/mutate/mutate.ts';
import type { AdmissionCluster } from '../support/admission-cluster.ts';
import { removeKey, RENAMERS, renameKey, startWithMode } from '../support/renamed-acl-keys.ts';

/** `make test` has the default mode. The other modes are here, because each writer takes seconds. */
describe('a client that writes the ACL annotation with a deprecated key,', function () {
  this.timeout(120_000);

  for (const mode of ['keep', 'replace'] as const satisfies DeprecatedKeys[]) {
    describe(`with --deprecated-keys=${mode}`, () => {
      const resources = new AsyncDisposableStack();
      let cluster: AdmissionCluster;
      before(async () => {
        cluster = resources.use(await startWithMode(mode));
      });
      after(() => resources.disposeAsync());

      for (const by of RENAMERS) {
        it(`keeps the ACL on when ${by} writes the current key instead`, () => renameKey(cluster, by, mode));
        it(`removes the ACL, or gets a warning about the copied key, when ${by} removes the annotation`, () =>
          removeKey(cluster, by, mode));
      }
    });
  }
});
