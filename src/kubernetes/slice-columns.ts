import type { Endpoint, EndpointSlice } from '../base/objects.ts';
import { packJson, unpackJson, type PackedJson, type Packing } from '../base/packed.ts';

type Conditions = NonNullable<Endpoint['conditions']>;
type WithoutEndpoints = Omit<EndpointSlice, 'endpoints'>;

/** A trimmed endpoint as Kubernetes creates it for a pod in the namespace of the slice. */
interface PodEndpoint {
  readonly addresses: readonly [string];
  readonly conditions: Conditions;
  readonly nodeName: string;
  readonly targetRef: { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string };
}

/** The slice without endpoints, a letter for the conditions of each endpoint, and the other columns. */
type Columns = readonly [WithoutEndpoints, string, string, string, string, string];

/** The first character of packed columns. A slice that is packed as a whole starts with another character. */
const COLUMNS = '[';
/** The separator of texts in a column. Names, addresses and uids do not contain it. */
const GAP = ' ';
/** The states of a condition; undefined if it is not set. */
const STATES = [undefined, false, true] as const;
/** The number of combinations of three conditions, which is also the base of their letters. */
const COMBINATIONS = STATES.length ** 3;

const stateOf = (condition: boolean | undefined): number => (condition === undefined ? 0 : condition ? 2 : 1);

const letterOf = ({ ready, serving, terminating }: Conditions): string =>
  ((stateOf(ready) * STATES.length + stateOf(serving)) * STATES.length + stateOf(terminating)).toString(COMBINATIONS);

/** The combinations by their letters, shared by all endpoints. */
const CONDITIONS: ReadonlyMap<string, Conditions> = new Map(
  STATES.flatMap((ready) =>
    STATES.flatMap((serving) =>
      STATES.map((terminating): [string, Conditions] => {
        const conditions = {
          ...(ready === undefined ? {} : { ready }),
          ...(serving === undefined ? {} : { serving }),
          ...(terminating === undefined ? {} : { terminating }),
        };
        return [letterOf(conditions), Object.freeze(conditions)];
      }),
    ),
  ),
);

const hasJust = (value: object, properties: number): boolean => Object.keys(value).length === properties;

/** Returns whether columns can represent the whole endpoint. */
function isOfPod(endpoint: Endpoint, namespace: string): endpoint is Endpoint & PodEndpoint {
  const { addresses, conditions, nodeName, targetRef } = endpoint;
  if (addresses.length !== 1 || conditions === undefined || nodeName === undefined || targetRef === undefined)
    return false;
  const { ready, serving, terminating } = conditions;
  return (
    hasJust(endpoint, 4) &&
    hasJust(targetRef, 4) &&
    targetRef.kind === 'Pod' &&
    targetRef.namespace === namespace &&
    targetRef.name !== undefined &&
    targetRef.uid !== undefined &&
    hasJust(conditions, [ready, serving, terminating].filter((each) => typeof each === 'boolean').length)
  );
}

/** Returns a column: the common prefix of all texts, and the rest of each text. */
function columnOf(texts: readonly string[]): string | undefined {
  if (texts.some((text) => text.includes(GAP))) return undefined;
  const [first = ''] = texts;
  let shared = first.length;
  for (const text of texts) while (!text.startsWith(first.slice(0, shared))) shared -= 1;
  return [first.slice(0, shared), ...texts.map((text) => text.slice(shared))].join(GAP);
}

function textsOf(column: string): readonly string[] {
  const [shared = '', ...rest] = column.split(GAP);
  return rest.map((text) => shared + text);
}

/** Returns the columns of a slice. Undefined if an endpoint differs from the endpoints of pods. */
function columnsOf({ endpoints = [], ...rest }: EndpointSlice): Columns | undefined {
  const { namespace } = rest.metadata;
  const pods = endpoints.filter((endpoint) => isOfPod(endpoint, namespace));
  if (pods.length === 0 || pods.length < endpoints.length) return undefined;
  const addresses = columnOf(pods.map((pod) => pod.addresses[0]));
  const nodeNames = columnOf(pods.map(({ nodeName }) => nodeName));
  const podNames = columnOf(pods.map(({ targetRef }) => targetRef.name));
  const podUids = columnOf(pods.map(({ targetRef }) => targetRef.uid));
  if (addresses === undefined || nodeNames === undefined || podNames === undefined || podUids === undefined)
    return undefined;
  const conditions = pods.map((pod) => letterOf(pod.conditions)).join('');
  return [rest, conditions, addresses, nodeNames, podNames, podUids];
}

function sliceOf([rest, conditions, ...columns]: Columns): EndpointSlice {
  const { namespace } = rest.metadata;
  const [addresses = [], nodeNames = [], names = [], uids = []] = columns.map(textsOf);
  const endpoints = addresses.map((address, at) => ({
    addresses: [address],
    conditions: CONDITIONS.get(conditions.charAt(at)) ?? {},
    nodeName: nodeNames[at] ?? '',
    targetRef: { kind: 'Pod', namespace, name: names[at] ?? '', uid: uids[at] ?? '' },
  }));
  return { ...rest, endpoints };
}

/**
 * Packs EndpointSlices in columns without loss. Packing takes a third of the time of compression, unpacking less than half. A slice with other
 * endpoints than pods is packed as a whole.
 */
export const SLICE_COLUMNS: Packing<EndpointSlice> = {
  pack: (slice) => {
    const columns = columnsOf(slice);
    return columns === undefined ? packJson(slice) : (JSON.stringify(columns) as PackedJson<EndpointSlice>);
  },
  unpack: (packed) => (packed.startsWith(COLUMNS) ? sliceOf(JSON.parse(packed) as Columns) : unpackJson(packed)),
};
