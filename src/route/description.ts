/** The start of the description of every entry that the controller creates. */
const MARK = 'portcullis';
/** The limit of the cloud, in characters. */
const LONGEST = 256;
const RELEASED = `${MARK}: released`;

/** Returns the description that shows the owner of a route in the cloud's console. */
export const routeDescription = (clusterId: string, node: string): string =>
  `${MARK}: cluster ${clusterId}, node ${node}`.slice(0, LONGEST);

/** The mark of a route whose Node was excluded. The controller keeps such a route even if the Node is deleted. */
export const RELEASED_DESCRIPTION = `${RELEASED}, its node is excluded`;

export const isReleased = (description: string): boolean => description.startsWith(RELEASED);
