/**
 * The fields that the API server does not store, because the CRD of the cluster is older than this process. Without this record, each pass would see
 * these fields as differences and write all objects again.
 */
export class PrunedFields {
  readonly #fields = new Set<string>();

  /** Compares a written status with the stored status. After an update of the CRD, the next write shows that the API server stores the fields. */
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
