import { isSet, type Condition } from './condition.ts';
import { selected, type ChartObject, type Target } from './kustomization.ts';
import { choose, chooseByDefault, defaultNode, slotOf, type Branch, type Node, type Slot } from './template-node.ts';
import { slotAt } from './patch.ts';

const POD = ['spec', 'template', 'spec'];
const CONTAINER = [...POD, 'containers', '0'];
const PROTECTED = 'printf "--protected-load-balancers=%s" (join "," .Values.protectedLoadBalancers) | quote';

const action = (expression: string): Node => ({ kind: 'text', text: `{{ ${expression} }}` });
const workload = (process: string): Target => ({ kind: 'Deployment', name: `portcullis-${process}` });

/** Calls `change` with the slot at a path of each selected object. */
function change(
  objects: readonly ChartObject[],
  target: Target,
  path: readonly string[],
  to: (slot: Slot) => void,
): void {
  for (const { node } of selected(objects, target)) to(slotAt(node, path));
}

/** Puts an expression into the place of a field, or before its other choices under a condition. */
function set(
  objects: readonly ChartObject[],
  target: Target,
  path: readonly string[],
  expression: string,
  when?: Condition,
): void {
  change(objects, target, path, (slot) => {
    if (when === undefined) chooseByDefault(slot, action(expression));
    else choose(slot, action(expression), when);
  });
}

/** Adds the members or items of a value of the chart to a field. Creates the field if it does not exist. */
function extend(
  objects: readonly ChartObject[],
  target: Target,
  path: readonly string[],
  value: string,
  empty: Branch,
): void {
  const [last = ''] = path.slice(-1);
  change(objects, target, path.slice(0, -1), (parent) => {
    const node = defaultNode(parent);
    if (node?.kind !== 'map') throw new Error(`${path.join('/')} has no parent`);
    const slot = node.members.get(last) ?? slotOf(empty);
    node.members.set(last, slot);
    for (const choice of slot.choices)
      if (choice.node?.kind === 'map' || choice.node?.kind === 'list')
        choice.node.further = { path: value, isRequired: false };
  });
}

const emptyMap = (): Branch => ({ kind: 'map', members: new Map() });
const emptyList = (): Branch => ({ kind: 'list', items: [] });

/** Replaces a field by a value of the chart. */
function replace(
  objects: readonly ChartObject[],
  target: Target,
  path: readonly string[],
  value: string,
  empty: Branch,
): void {
  change(objects, target, path, (slot) => {
    empty.further = { path: value, isRequired: true };
    chooseByDefault(slot, empty);
  });
}

function addProcessSettings(objects: readonly ChartObject[], process: string): void {
  const target = workload(process);
  set(objects, target, [...CONTAINER, 'image'], 'include "portcullis.image" . | quote');
  set(objects, target, [...CONTAINER, 'imagePullPolicy'], '.Values.image.pullPolicy');
  replace(objects, target, [...CONTAINER, 'resources'], `${process}.resources`, emptyMap());
  change(objects, target, [...CONTAINER, 'args'], (slot) => {
    const args = defaultNode(slot);
    if (args?.kind === 'list') args.items.push(slotOf(action(PROTECTED), isSet('protectedLoadBalancers')));
  });
  extend(objects, target, [...CONTAINER, 'args'], `${process}.extraArgs`, emptyList());
  extend(objects, target, [...CONTAINER, 'env'], `${process}.extraEnv`, emptyList());
  extend(objects, target, [...POD, 'nodeSelector'], `${process}.nodeSelector`, emptyMap());
  extend(objects, target, [...POD, 'tolerations'], `${process}.tolerations`, emptyList());
  extend(objects, target, [...POD, 'imagePullSecrets'], 'image.pullSecrets', emptyList());
  extend(objects, target, ['spec', 'template', 'metadata', 'annotations'], `${process}.podAnnotations`, emptyMap());
}

/** Puts the values of the chart into its objects, for example image, replicas and extra flags. Runs after all patches. */
export function addSettings(objects: readonly ChartObject[]): void {
  for (const process of ['controller', 'webhook']) addProcessSettings(objects, process);
  set(objects, workload('controller'), ['spec', 'replicas'], '.Values.controller.replicas');
  set(objects, workload('webhook'), ['spec', 'replicas'], '.Values.webhook.replicas', isSet('webhook.replicas'));
  const injector = { kind: 'ClusterRoleBinding', name: 'portcullis-certificate-injector' };
  for (const field of ['name', 'namespace'])
    set(objects, injector, ['subjects', '0', field], `.Values.certificates.injector.${field}`);
  for (const [process, path, value] of PEERS)
    replace(objects, { kind: 'NetworkPolicy', name: `portcullis-${process}` }, path.split('/'), value, emptyList());
  for (const { slot } of selected(objects, { kind: 'Namespace' }))
    slot.choices = slot.choices.map(({ node }) => ({ when: isSet('namespace.create'), node }));
}

const PEERS = [
  ['webhook', 'spec/ingress/0/from', 'networkPolicy.apiServers'],
  ['webhook', 'spec/ingress/1/from', 'networkPolicy.prometheus'],
  ['webhook', 'spec/egress/0/to', 'networkPolicy.apiServers'],
  ['controller', 'spec/ingress/0/from', 'networkPolicy.prometheus'],
  ['controller', 'spec/egress/0/to', 'networkPolicy.apiServers'],
] as const;
