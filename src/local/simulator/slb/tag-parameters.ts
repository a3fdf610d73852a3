import { CloudError } from '../error.ts';
import type { OperationContext } from '../operation.ts';
import type { Arguments } from '../parameter.ts';
import type { SimulatedTags } from '../tag-store.ts';

/** Returns whether the cloud rejects a tag key or value because of its content. */
const isReserved = (text: string): boolean => /^(aliyun|acs:)/i.test(text) || /https?:\/\//i.test(text);

function checkTag(key: string | undefined, value: string): string {
  if (key === undefined || key === '') throw new CloudError('MissingParam.TagKey', 'A tag requires a key.');
  if (key.length > 64 || isReserved(key)) {
    throw new CloudError(
      'InvalidParam.TagKey',
      `The tag key "${key.slice(0, 80)}" is not allowed: 1 to 64 characters, not starting with aliyun or acs:, without http:// and https://.`,
    );
  }
  if (value.length > 128 || isReserved(value)) {
    throw new CloudError(
      'InvalidParam.TagValue',
      `The value of the tag "${key}" is not allowed: at most 128 characters, not starting with aliyun or acs:, without http:// and https://.`,
    );
  }
  return key;
}

/** Returns the tags in the parameters `Tag.N.Key` and `Tag.N.Value` of a call that adds tags. Throws for an invalid key or value. */
export const tagsOf = (args: Arguments): SimulatedTags =>
  Object.fromEntries(
    args.objects('Tag').map((tag): [string, string] => {
      const value = tag.optional('Value') ?? '';
      return [checkTag(tag.optional('Key'), value), value];
    }),
  );

/** Returns the tags by which a reading call filters. A key without a value matches any value. */
export const tagFilter = (args: Arguments): readonly (readonly [string, string | undefined])[] =>
  args.objects('Tag').map((tag) => {
    const key = tag.optional('Key');
    if (key === undefined || key === '') throw new CloudError('MissingParam.TagKey', 'A tag filter requires a key.');
    return [key, tag.optional('Value')];
  });

/** Returns whether a resource with these tags passes a tag filter. */
export const carries = (tags: SimulatedTags, [key, value]: readonly [string, string | undefined]): boolean =>
  Object.hasOwn(tags, key) && (value === undefined || tags[key] === value);

/** Returns the present tags of a resource together with the new `tags`. Throws `TagCountLimit` for too many tags. */
export function addedTags(
  kind: string,
  id: string,
  tags: SimulatedTags,
  { world, settings }: OperationContext,
): SimulatedTags {
  const all = { ...world.tags.of(kind, id), ...tags };
  if (Object.keys(all).length > settings.tagsPerResource) {
    throw new CloudError('TagCountLimit', `A resource has at most ${settings.tagsPerResource} tags.`);
  }
  return all;
}

/** Parses the parameter `Tags` of older operations, which is a JSON list of objects with `TagKey` and `TagValue`. Filters may omit the value. */
export function tagsOfText(text: string, most: number): readonly (readonly [string, string | undefined])[] {
  const pairs = parse(text);
  if (pairs.length > most)
    throw new CloudError('SizeLimitExceeded.Tag', `At most ${most} tags are allowed in one call.`);
  return pairs.map((pair) => {
    const members = new Map(
      Object.entries(pair).map(([name, value]): [string, unknown] => [name.toLowerCase(), value]),
    );
    const [key, value] = [members.get('tagkey'), members.get('tagvalue')];
    if (typeof key !== 'string' || (value !== undefined && typeof value !== 'string')) throw unreadable();
    return [key, value];
  });
}

const unreadable = (): CloudError =>
  new CloudError('InvalidTag', 'Tags must be JSON text, a list of {"TagKey": "…", "TagValue": "…"}.');

function parse(text: string): readonly object[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable();
  }
  if (!Array.isArray(value)) throw unreadable();
  return value.map((item: unknown) => {
    if (typeof item !== 'object' || item === null) throw unreadable();
    return item;
  });
}
