import { z } from 'zod';
import type { Manifest } from '../manifests.ts';
import type { Request } from './requests.ts';

/** A permission that a role grants to an account. The suite grants checks that each permission is used, and that each request has a permission. */
export interface Grant {
  /** A role such as `ClusterRole portcullis-webhook`. */
  readonly role: string;
  /** The user name at the API server. */
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Undefined for all namespaces. */
  readonly namespace?: string;
  /** Undefined for all names. */
  readonly name?: string;
}

const names = z.array(z.string());
const Role = z.object({
  rules: z.array(z.strictObject({ apiGroups: names, resources: names, verbs: names, resourceNames: names.optional() })),
});
const Binding = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.literal('ServiceAccount'), namespace: z.string(), name: z.string() })),
});

type Permission = Omit<Grant, 'role' | 'user' | 'namespace'>;

const permissionsOf = (role: Manifest): readonly Permission[] =>
  Role.parse(role).rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => {
          const permission = { verb, group, resource };
          return resourceNames?.map((name) => ({ ...permission, name })) ?? [permission];
        }),
      ),
    ),
  );

/** Returns all permissions of the bindings among these objects. Throws for a binding to a missing role. */
export function grantsOf(objects: readonly Manifest[]): readonly Grant[] {
  return objects
    .filter(({ kind }) => kind === 'ClusterRoleBinding' || kind === 'RoleBinding')
    .flatMap((binding) => {
      const { roleRef, subjects } = Binding.parse(binding);
      const { namespace } = binding.metadata;
      const role = objects.find(
        ({ kind, metadata }) =>
          kind === roleRef.kind &&
          metadata.name === roleRef.name &&
          (kind === 'ClusterRole' || metadata.namespace === namespace),
      );
      if (role === undefined) throw new Error(`${binding.metadata.name} binds ${roleRef.name}, which does not exist`);
      const where = namespace === undefined ? {} : { namespace };
      return subjects.flatMap((subject) =>
        permissionsOf(role).map((permission) => ({
          role: `${roleRef.kind} ${roleRef.name}`,
          user: `system:serviceaccount:${subject.namespace}:${subject.name}`,
          ...where,
          ...permission,
        })),
      );
    });
}

/** Returns whether a permission covers a request. */
export const covers = (grant: Grant, request: Request): boolean =>
  grant.user === request.user &&
  grant.verb === request.verb &&
  grant.group === request.group &&
  grant.resource === request.resource &&
  (grant.namespace === undefined || grant.namespace === request.namespace) &&
  (grant.name === undefined || grant.name === request.name);
