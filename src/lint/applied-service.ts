import type { Service } from '../base/kubernetes-objects.ts';
import { appliedOver, type Applicable } from './applied-object.ts';

/** The UID of a Service that is not stored. */
const NO_UID = '00000000-0000-0000-0000-000000000000';

/** Returns the Service that the API server creates from a manifest. Removes the status and the metadata that only the cluster sets. */
export function asCreated({ apiVersion, kind, metadata, spec }: Service): Service {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      namespace,
      uid: NO_UID,
      resourceVersion: '0',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Returns the Service that `kubectl apply` stores, which `lint` and `plan` evaluate. Both arguments must have only current keys. */
export function asStored(manifest: Service, stored: Service | undefined): Service {
  const created = asCreated(manifest);
  if (stored === undefined) return created;
  const { uid, resourceVersion } = stored.metadata;
  return appliedOver<Service & Applicable>(stored, {
    ...created,
    metadata: { ...created.metadata, uid, resourceVersion },
  });
}
