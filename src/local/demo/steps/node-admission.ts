import { WELL_KNOWN } from '../../../annotation/well-known-names.ts';
import { sample } from '../service-lookup.ts';
import { denied, warned } from '../denied-requests.ts';
import type { DemoStep } from '../demo-step.ts';

const ZONE = 'topology.kubernetes.io/zone';
const DRY = ['--overwrite', '--dry-run=server'];
const WRONG_ID = '{"spec":{"providerID":"i-bp1abcdefg"}}';

/** Sends requests for Nodes. Deletes the Node that the step creates. */
export const nodes: DemoStep = {
  title: 'Nodes always join, and users get warnings',
  about:
    'The webhook never denies the registration of a Node. It warns users who set an exclude label to "false" or edit a label that the ' +
    'controller sets from the cloud, and it denies a provider ID in an unknown format.',
  run: async (demo) => {
    const { kubectl } = demo;
    const { stdout: node } = await kubectl.quiet('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}');
    await warned(
      demo,
      WELL_KNOWN.excludeNodeOld.name,
      'label',
      'node',
      node,
      ...DRY,
      `${WELL_KNOWN.excludeNodeOld.name}=false`,
    );
    await warned(demo, ZONE, 'label', 'node', node, ...DRY, `${ZONE}=cn-hangzhou-x`);
    await kubectl.show('apply', '-f', sample('node'));
    await denied(demo, { args: ['patch', 'node', 'newcomer', '-p', WRONG_ID], fields: ['spec.providerID'] });
    await kubectl.show('delete', 'node', 'newcomer');
  },
};
