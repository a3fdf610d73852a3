/** The start of the description of every route entry that the controller creates. */
const MARK = 'portcullis';
/** The maximum length of a description in the cloud, in characters. */
const LONGEST = 256;
const RELEASED = `${MARK}: released`;

/** Returns the description of a route entry that leads to a Node. The description shows users in the cloud console which cluster owns the entry. */
export const routeDescription = (clusterId: string, node: string): string =>
  `${MARK}: cluster ${clusterId}, node ${node}`.slice(0, LONGEST);

/** The description of an entry whose Node was excluded. Without this mark, the controller would delete the entry after the deletion of the Node. */
export const RELEASED_DESCRIPTION = `${RELEASED}, its node is excluded`;

/** Returns whether a description marks its entry as released. */
export const isReleased = (description: string): boolean => description.startsWith(RELEASED);
