/** The namespaces with backends that this process added to user-managed groups. Annotations do not suffice: backends can outlive an annotation. */
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

  /** Returns whether backends were added for another namespace, so that the cached group of a Service may be outdated. */
  hasOthers(group: string, namespace: string): boolean {
    const namespaces = this.#namespaces.get(group);
    return namespaces !== undefined && namespaces.size > Number(namespaces.has(namespace));
  }
}
