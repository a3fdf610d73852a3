import { CloudError } from '../error.ts';
import { pageByToken } from '../page.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { boolean, choice, list, required, text, type Arguments } from '../parameter.ts';
import type { SimulatedTags } from '../tag-store.ts';
import type { SimulatedRegion } from '../simulated-region.ts';
import { LOAD_BALANCER_ID, read, REGION_ID, RESOURCE_IDS, TAG, theLoadBalancer, write } from './common-parameters.ts';
import { addedTags, carries, tagFilter, tagsOf, tagsOfText } from './tag-parameters.ts';

const RESOURCE_TYPE = required(
  choice('ResourceType', ['instance', 'certificate', 'acl', 'listener', 'vservergroup', 'masterslaveservergroup']),
);
/** The number of tags on a page of `ListTagResources`: 20 tags for each of 50 resources. */
const PAGE = 1_000;

/** Functions that return whether a resource exists, by resource type. */
const EXISTS: Readonly<Record<string, (world: SimulatedRegion, id: string) => boolean>> = {
  instance: (world, id) => world.loadBalancers.get(id) !== undefined,
  certificate: (world, id) => world.certificates.get(id) !== undefined,
  acl: (world, id) => world.accessControlLists.get(id) !== undefined,
  vservergroup: (world, id) => world.serverGroups.get(id) !== undefined,
  listener: (world, id) => {
    const [balancer = '', protocol = '', port = ''] = id.split('_');
    return world.loadBalancers.get(balancer)?.listeners.has(`${protocol}/${port}`) === true;
  },
};

/** Returns the ids of the resources that a call names. Throws if a resource does not exist. */
function theResources(args: Arguments, { world }: OperationContext): readonly string[] {
  const [kind, ids] = [args.text('ResourceType'), args.list('ResourceId')];
  for (const id of ids) {
    if (EXISTS[kind]?.(world, id) === true) continue;
    if (kind === 'instance') {
      throw new CloudError('InvalidLoadBalancerId.NotFound', `The load balancer ${id} does not exist.`);
    }
    throw new CloudError('InvalidParameter', `The ${kind} ${id} does not exist.`);
  }
  return ids;
}

function tagResources(args: Arguments, context: OperationContext): OperationResult {
  const [kind, tags, ids] = [args.text('ResourceType'), tagsOf(args), theResources(args, context)];
  const changed = ids.map((id): [string, SimulatedTags] => [id, addedTags(kind, id, tags, context)]);
  for (const [id, all] of changed) context.world.tags.set(kind, id, all, context.now);
  return {};
}

const without = (tags: SimulatedTags, keys: ReadonlySet<string>): SimulatedTags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !keys.has(key)));

function untagResources(args: Arguments, context: OperationContext): OperationResult {
  const [kind, keys, ids] = [args.text('ResourceType'), args.list('TagKey'), theResources(args, context)];
  const all = args.boolean('All') === true && keys.length === 0;
  for (const id of ids) {
    const tags = context.world.tags.of(kind, id);
    context.world.tags.set(kind, id, all ? {} : without(tags, new Set(keys)), context.now);
  }
  return {};
}

function listTagResources(args: Arguments, { world, listInstant }: OperationContext): OperationResult {
  const [kind, ids, wanted] = [args.text('ResourceType'), args.list('ResourceId'), tagFilter(args)];
  if (ids.length === 0 && wanted.length === 0) {
    throw new CloudError('MissingParameter', 'Set ResourceId.N or Tag.N.');
  }
  const found: object[] = [];
  for (const [id, tags] of world.tags.resources(kind, listInstant)) {
    if (ids.length > 0 && !ids.includes(id)) continue;
    if (!wanted.every((tag) => carries(tags, tag))) continue;
    for (const [TagKey, TagValue] of Object.entries(tags))
      found.push({ ResourceId: id, ResourceType: kind, TagKey, TagValue });
  }
  const { items, next } = pageByToken(found, args.optional('NextToken'), PAGE);
  return { NextToken: next, TagResources: { TagResource: items } };
}

/** Returns an older operation on the tags of load balancers, whose calls have the tags as JSON in the parameter `Tags`. */
const older = (
  action: string,
  apply: (tags: SimulatedTags, requested: SimulatedTags) => SimulatedTags,
): SimulatedOperation =>
  write({
    action,
    parameters: [LOAD_BALANCER_ID, required(REGION_ID), required(text('Tags'))],
    handle: (args, context) => {
      const { id } = theLoadBalancer(args, context);
      const requested = Object.fromEntries(tagsOfText(args.text('Tags'), 5).map(([key, value]) => [key, value ?? '']));
      context.world.tags.set('instance', id, apply(context.world.tags.of('instance', id), requested), context.now);
      return {};
    },
  });

/** The operations that add, remove and list tags of SLB resources. */
export const TAG_OPERATIONS: readonly SimulatedOperation[] = [
  write({
    action: 'TagResources',
    rate: { calls: 5, seconds: 1 },
    parameters: [required(REGION_ID), RESOURCE_IDS, RESOURCE_TYPE, { ...TAG, required: true }],
    handle: tagResources,
  }),
  write({
    action: 'UntagResources',
    rate: { calls: 5, seconds: 1 },
    parameters: [boolean('All'), required(REGION_ID), RESOURCE_IDS, RESOURCE_TYPE, list('TagKey', 20)],
    handle: untagResources,
  }),
  read({
    action: 'ListTagResources',
    rate: { calls: 10, seconds: 1 },
    parameters: [text('NextToken'), required(REGION_ID), list('ResourceId', 20), RESOURCE_TYPE, TAG],
    handle: listTagResources,
  }),
  older('AddTags', (tags, requested) => ({ ...tags, ...requested })),
  older('RemoveTags', (tags, requested) => without(tags, new Set(Object.keys(requested)))),
];
