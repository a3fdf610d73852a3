import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../annotation/well-known.ts';
import { NAMESPACE } from '../objects.ts';
import { denied, warned } from '../denial.ts';
import type { DemoStep } from '../demo.ts';

const edit = (verb: 'annotate' | 'label', key: string, value: string): readonly string[] => [
  ...[verb, 'service/good', '-n', NAMESPACE, '--overwrite', '--dry-run=server', `${key}=${value}`],
];

export const stored: DemoStep = {
  title: 'What is there does not become just anything',
  about:
    'The Service has its load balancer now. What the cloud cannot change, and what would leave the load balancer behind, is refused; ' +
    'an edit of what the controller remembers is warned of. A dry run is judged like any other.',
  run: async (tour) => {
    const { addressType, class: controller } = CATALOGUE;
    await denied(tour, [addressType.key], ...edit('annotate', addressType.key, 'intranet'));
    await denied(tour, [controller.key], ...edit('annotate', controller.key, 'nginx-alb'));
    await warned(tour, WELL_KNOWN.hash.name, ...edit('label', WELL_KNOWN.hash.name, 'mine'));
  },
};
