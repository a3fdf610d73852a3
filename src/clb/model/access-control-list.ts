/** Returns why listeners cannot reference an access control list; `undefined` if it exists. */
export const whyMissing = (id: string, exists: boolean): string | undefined =>
  exists
    ? undefined
    : `access control list ${id} does not exist in this region; create the list there, or correct the annotation acl-id`;
