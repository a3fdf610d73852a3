import { splitKey, type ObjectKey, type Resource } from '../base/objects.ts';

const part = encodeURIComponent;

/** The path of a kind of object: all of them, or those of one namespace. */
export function collectionPath({ group, version, plural }: Resource, namespace?: string): string {
  const root = group === '' ? `/api/${part(version)}` : `/apis/${part(group)}/${part(version)}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${part(namespace)}`}/${part(plural)}`;
}

/** The path of one object, or of a subresource of it. */
export function objectPath(resource: Resource, key: ObjectKey, subresource?: string): string {
  const { namespace, name } = splitKey(key);
  return `${collectionPath(resource, namespace)}/${part(name)}${subresource === undefined ? '' : `/${part(subresource)}`}`;
}
