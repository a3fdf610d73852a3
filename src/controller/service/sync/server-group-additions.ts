/**
 * The namespaces for which this process has added backends to user-managed server groups. Annotations tell less: a Service may name
 * another group, or another load balancer, while its backends are still in the group.
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

  /** Returns whether backends were added for another namespace, so that what a Service has cached of the group may be older. */
  hasOthers(group: string, namespace: string): boolean {
    const namespaces = this.#namespaces.get(group);
    return namespaces !== undefined && namespaces.size > Number(namespaces.has(namespace));
  }
}
