import { isOwnListener } from './diff-listeners.ts';
import { findGroup, groupReference, managesListeners, type Observed, type Wanted } from './state.ts';

/**
 * Whether a Service has something on a load balancer by which it can be reached: a listener, where they are its to make; else a group
 * that it wants, to which people send what they like.
 */
export const isServed = (desired: Wanted, observed: Observed): boolean =>
  managesListeners(desired.use)
    ? observed.listeners.some((listener) => isOwnListener(desired, observed, listener))
    : desired.groups.some((group) => findGroup(observed, groupReference(group)) !== undefined);
