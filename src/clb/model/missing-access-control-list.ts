/** Returns the message for a missing access control list that a planned listener references; undefined if the list exists. */
export const whyMissing = (id: string, exists: boolean): string | undefined =>
  exists
    ? undefined
    : `access control list ${id} does not exist in this region; create the list there, or correct the annotation acl-id`;
