import type { Options } from '../../annotation/catalogue.ts';
import { hash } from '../../clb/digest.ts';
import type { LoadBalancerId } from '../../clb/ids.ts';
import type { Use } from '../../clb/state.ts';

/** The Service's own load balancer, wherever it is: its tag tells. */
export const OWN = 'own';
/** Where something of a Service may be. */
export type Place = LoadBalancerId | typeof OWN;

/** Where a Service wants to be served. */
export const placeNamed = ({ id }: Pick<Options, 'id'>): Place => (id as LoadBalancerId | undefined) ?? OWN;
export const placeOf = (use: Use): Place => (use.kind === 'owned' ? OWN : use.id);

/** How a place is called. */
export const nameOfPlace = (place: Place): string =>
  place === OWN ? 'its own load balancer' : `load balancer ${place}`;

const PLACE = /^(?:own|lb-[a-z0-9]+)$/;
const isPlace = (text: string): text is Place => PLACE.test(text);

/** Labels are copied with manifests and backups: what they say holds for the object of which it was said, and for no other of its name. */
const sealOf = (uid: string): string => hash(uid).slice(0, 8);

/** Places as a label, sealed with the UID of the Service. */
export const writePlaces = (places: readonly Place[], uid: string): string => [...places, sealOf(uid)].join('.');

/** The longest value of a label that Kubernetes takes. */
const LONGEST = 63;

/** Whether a label has room for them: for its own and two others, as long as ids have the 24 characters that the cloud gives them. */
export const fitLabel = (places: readonly Place[], uid: string): boolean => writePlaces(places, uid).length <= LONGEST;

/** What a label says of this very Service; nothing, if it was said of another. */
export function readPlaces(label: string | undefined, uid: string): readonly Place[] {
  if (label === undefined) return [];
  const parts = label.split('.');
  return parts.at(-1) === sealOf(uid) ? parts.slice(0, -1).filter(isPlace) : [];
}
