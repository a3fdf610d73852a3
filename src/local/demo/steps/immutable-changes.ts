import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../annotation/well-known-names.ts';
import { NAMESPACE } from '../service-lookup.ts';
import { denied, warned } from '../denied-requests.ts';
import type { DemoStep } from '../demo-step.ts';

/** Returns the arguments of a dry run that edits Service good. */
const edit = (verb: 'annotate' | 'label', key: string, value: string): readonly string[] => [
  ...[verb, 'service/good', '-n', NAMESPACE, '--overwrite', '--dry-run=server', `${key}=${value}`],
];

/** Requests changes of Service good, which the step `new-service` creates. */
export const immutableChanges: DemoStep = {
  title: 'Changes of a Service with a load balancer',
  about:
    'The Service has a load balancer. Changes that the cloud cannot make, or that would make the load balancer an orphan, are denied. An edit ' +
    'of a label that the controller sets gets a warning. Dry runs are evaluated too.',
  run: async (demo) => {
    const { addressType, class: controller } = CATALOGUE;
    await denied(
      demo,
      { args: edit('annotate', addressType.key, 'intranet'), fields: [addressType.key] },
      { args: edit('annotate', controller.key, 'nginx-alb'), fields: [controller.key] },
    );
    await warned(demo, WELL_KNOWN.hash.name, ...edit('label', WELL_KNOWN.hash.name, 'mine'));
  },
};
