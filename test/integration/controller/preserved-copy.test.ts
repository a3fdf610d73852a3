import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { annotation, apply, events, patch, running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const PRESERVED = { [annotation('preserve-lb-on-delete')]: 'true' };

/** Returns a managedFields entry of a client that owns the annotation. */
const ownerOf = (key: string): object => ({
  manager: 'kubectl-annotate',
  operation: 'Update',
  fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${key}`]: {} } } },
});

describe('a Service that is deleted and preserves its load balancer', () => {
  const owners: Readonly<Record<string, readonly [managedFields: object[], isCopy: boolean]>> = {
    'that no client owns': [[{ manager: 'helm', operation: 'Update', fieldsV1: { 'f:spec': {} } }], true],
    'that a client owns': [[ownerOf(annotation('preserve-lb-on-delete'))], false],
  };
  for (const [which, [managedFields, isCopy]] of Object.entries(owners)) {
    it(`gets an event that ${isCopy ? 'names' : 'omits'} the annotation ${which}`, async () => {
      const run = await running();
      await apply(run, { annotations: PRESERVED });
      await patch(run, { metadata: { managedFields } });
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      const [said = ''] = events(run, 'PreservedOnDelete');
      assert.equal(said.includes(`No manifest declares ${annotation('preserve-lb-on-delete')}`), isCopy);
      await run.process.stop();
    });
  }
});
