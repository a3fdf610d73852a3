/** The status fields that an older CRD drops. Status comparisons ignore them. Otherwise, each reconcile would write the status again. */
export class PrunedFields {
  readonly #fields = new Set<string>();

  /** Records the dropped fields, and forgets a field that an updated CRD stores. */
  observe(written: object, stored: object | undefined): void {
    if (stored === undefined) return;
    for (const field of Object.keys(written)) this.#fields[field in stored ? 'delete' : 'add'](field);
  }

  /** Returns the fields of a status that the API server stores. */
  without<Status extends object>(status: Status): Partial<Status> {
    if (this.#fields.size === 0) return status;
    return Object.fromEntries(Object.entries(status).filter(([field]) => !this.#fields.has(field))) as Partial<Status>;
  }
}
