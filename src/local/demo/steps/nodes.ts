import { WELL_KNOWN } from '../../../annotation/well-known.ts';
import { sample } from '../objects.ts';
import { denied, warned } from '../denial.ts';
import type { DemoStep } from '../demo.ts';

const ZONE = 'topology.kubernetes.io/zone';
const DRY = ['--overwrite', '--dry-run=server'];
const WRONG_ID = '{"spec":{"providerID":"i-bp1abcdefg"}}';

export const nodes: DemoStep = {
  title: 'Nodes are let in, and people are told',
  about:
    'No node is ever kept from joining. A person who excludes one by a label that says "false", edits what the controller knows from the ' +
    'cloud, or writes a provider id that nobody can read, and nobody could change later, is told.',
  run: async (tour) => {
    const { kubectl } = tour;
    const { stdout: node } = await kubectl.quiet('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}');
    await warned(
      tour,
      WELL_KNOWN.excludeNodeOld.name,
      'label',
      'node',
      node,
      ...DRY,
      `${WELL_KNOWN.excludeNodeOld.name}=false`,
    );
    await warned(tour, ZONE, 'label', 'node', node, ...DRY, `${ZONE}=cn-hangzhou-x`);
    await kubectl.show('apply', '-f', sample('node'));
    await denied(tour, ['spec.providerID'], 'patch', 'node', 'newcomer', '-p', WRONG_ID);
    await kubectl.show('delete', 'node', 'newcomer');
  },
};
