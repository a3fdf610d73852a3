import assert from 'node:assert/strict';
import { noBackends } from '../../../../../src/controller/service/status/events.ts';

const GROUP = { name: 'k8s/80/web/shop/c1', backends: [] };
const UNREACHABLE = { ...GROUP, unreachable: ['192.168.77.1', '192.168.77.2'] };

/** Users must see where one reason ends and the next begins. */
describe('the event for a Service without backends', () => {
  const cases: Readonly<Record<string, readonly [...Parameters<typeof noBackends>, message: string]>> = {
    'has no reason if none is known': [[GROUP], {}, 'There are no backends in k8s/80/web/shop/c1'],
    'lists the labels that no Node has': [
      [GROUP],
      { tier: 'front', zone: 'a' },
      'There are no backends in k8s/80/web/shop/c1: no eligible Node has the labels tier=front,zone=a; label Nodes, or change the annotation backend-label',
    ],
    'lists the addresses outside the VPC after a colon': [
      [UNREACHABLE],
      {},
      'There are no backends in k8s/80/web/shop/c1: skipped addresses outside the VPC of the cluster: 192.168.77.1, 192.168.77.2',
    ],
    'separates two reasons by a semicolon': [
      [UNREACHABLE],
      { tier: 'front' },
      'There are no backends in k8s/80/web/shop/c1: no eligible Node has the labels tier=front; label Nodes, or change the annotation backend-label; skipped addresses outside the VPC of the cluster: 192.168.77.1, 192.168.77.2',
    ],
  };
  for (const [title, [groups, missed, message]] of Object.entries(cases))
    it(title, () => assert.equal(noBackends(groups, missed).message, message));
});
