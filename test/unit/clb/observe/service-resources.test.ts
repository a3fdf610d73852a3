import assert from 'node:assert/strict';
import { hasResources } from '../../../../src/clb/observe/service-resources.ts';
import type { Observed } from '../../../../src/clb/model/desired-and-observed-state.ts';
import { aBackend, anObservedGroup, anObservedListener, OWNER } from '../../../support/clb-objects.ts';

/** Names show which resources belong to a Service, because other Services can have resources on a shared load balancer. */
describe('a load balancer has resources of a Service', () => {
  const own = anObservedGroup(30_080);
  const rows: Readonly<Record<string, readonly [Partial<Observed>, boolean]>> = {
    'if a listener has its name': [{ listeners: [anObservedListener(80)] }, true],
    'if a server group has its name': [{ groups: [own] }, true],
    'if a backend in a user-managed group has its name': [
      { groups: [{ ...own, name: 'hers', backends: [aBackend('i-1', 30_080)] }] },
      true,
    ],
    'unless all resources have other names': [
      {
        listeners: [anObservedListener(80, { description: 'hers' })],
        groups: [{ ...own, name: 'hers', backends: [] }],
      },
      false,
    ],
  };
  for (const [title, [there, expected]] of Object.entries(rows))
    it(title, () => assert.equal(hasResources(OWNER, { groups: [], listeners: [], ...there }), expected));
});
