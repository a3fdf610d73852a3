/** Begins the description of every entry that we make. */
const MARK = 'portcullis';
/** The cloud's limit, in characters. */
const LONGEST = 256;
const RELEASED = `${MARK}: released`;

/** Says in the cloud's console whose route it is. */
export const routeDescription = (clusterId: string, node: string): string =>
  `${MARK}: cluster ${clusterId}, node ${node}`.slice(0, LONGEST);

/** Says that the Node was excluded while it had the route, which stays from then on whatever becomes of the Node. */
export const RELEASED_DESCRIPTION = `${RELEASED}, its node is excluded`;

export const isReleased = (description: string): boolean => description.startsWith(RELEASED);
