import type { KubernetesObject } from '../../base/kubernetes-objects.ts';
import { valueOf, type Attempt } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { unreadLine, type StatusLine } from '../line.ts';

/** The lists of custom resources, by plural name. */
const listsIn = (facts: StatusFacts): readonly (readonly [string, Attempt<readonly KubernetesObject[]>])[] => [
  ['classicloadbalancers', facts.loadBalancers],
  ['loadbalancerbindings', facts.bindings],
  ['cloudinventories', facts.inventories],
  ['loadbalancerpolicies', facts.policies],
  ['loadbalancerexceptions', facts.exceptions],
];

/** Returns the line `resources` of `portcullis status`: the kinds of custom resources that are installed, with their numbers of objects. */
export function customResourcesLine(facts: StatusFacts): StatusLine {
  const name = 'resources';
  const lists = listsIn(facts);
  const missing = lists.filter(([, { kind }]) => kind === 'absent').map(([plural]) => plural);
  const counts = lists.flatMap(([plural, read]) => {
    const objects = valueOf(read);
    return objects === undefined ? [] : [[plural, objects.length] as const];
  });
  const data = { counts: Object.fromEntries(counts), missing };
  if (missing.length > 0)
    return {
      ...{ name, level: 'wrong', text: `the API server does not know ${missing.join(', ')}`, data },
      remedy: 'install the CustomResourceDefinitions of manifests/crds',
    };
  const reads = lists.map(([, read]) => read);
  const text = counts.map(([plural, count]) => `${plural} ${count}`).join(', ');
  return { ...(unreadLine(name, reads) ?? { name, level: 'ok', text }), data };
}
