import { splitKey, type ObjectKey, type Resource } from '../base/kubernetes-objects.ts';

const part = encodeURIComponent;

/** Returns the URL path of all objects of a kind, or of the objects in a namespace. */
export function collectionPath({ group, version, plural }: Resource, namespace?: string): string {
  const root = group === '' ? `/api/${part(version)}` : `/apis/${part(group)}/${part(version)}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${part(namespace)}`}/${part(plural)}`;
}

/** Returns the URL path of an object or of its subresource. */
export function objectPath(resource: Resource, key: ObjectKey, subresource?: string): string {
  const { namespace, name } = splitKey(key);
  return `${collectionPath(resource, namespace)}/${part(name)}${subresource === undefined ? '' : `/${part(subresource)}`}`;
}
