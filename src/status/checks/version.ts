import { valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import type { StatusLine } from '../line.ts';
import { imageVersion, workloadsOf } from '../workloads.ts';

/** Returns the line `version` of `portcullis status`: the versions of all components and of Kubernetes. */
export function versionLine(facts: StatusFacts): StatusLine {
  const server = valueOf(facts.server);
  const components = workloadsOf(facts).map(({ component, image }) => ({ component, version: imageVersion(image) }));
  const differ = new Set(components.map(({ version }) => version)).size > 1;
  const parts = [
    ...components.map(({ component, version }) => `${component} ${version}`),
    `this program ${facts.program}`,
    ...(server === undefined ? [] : [`Kubernetes ${server}`]),
  ];
  return {
    name: 'version',
    level: differ ? 'notice' : 'ok',
    text: parts.join(', '),
    ...(differ ? { remedy: 'finish the update: controller and webhook have different versions' } : {}),
    data: { program: facts.program, kubernetes: server ?? null, components },
  };
}
