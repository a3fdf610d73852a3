/**
 * For each user-managed group, the namespaces whose backends this process may have added. Annotations cannot replace this record, because backends
 * can outlive an annotation.
 */
export class GroupAdditions {
  readonly #namespaces = new Map<string, Set<string>>();

  add(group: string, namespace: string): void {
    const namespaces = this.#namespaces.get(group);
    if (namespaces === undefined) this.#namespaces.set(group, new Set([namespace]));
    else namespaces.add(namespace);
  }

  has(group: string, namespace: string): boolean {
    return this.#namespaces.get(group)?.has(namespace) === true;
  }

  /** Returns whether another namespace may have backends in a group. A sync then reads the group again, so that namespaces never share it. */
  hasOthers(group: string, namespace: string): boolean {
    const namespaces = this.#namespaces.get(group);
    return namespaces !== undefined && namespaces.size > Number(namespaces.has(namespace));
  }
}
