import type { Endpoint, EndpointSlice } from '../base/kubernetes-objects.ts';
import { packJson, unpackJson, type PackedJson, type Packing } from '../base/object-packing.ts';

type Conditions = NonNullable<Endpoint['conditions']>;
type WithoutEndpoints = Omit<EndpointSlice, 'endpoints'>;

/** An endpoint as Kubernetes creates it for a pod in the namespace of the EndpointSlice. */
interface PodEndpoint {
  readonly addresses: readonly [string];
  readonly conditions: Conditions;
  readonly nodeName: string;
  readonly targetRef: { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string };
}

/** The packed form: the slice without endpoints, a digit for the conditions of each endpoint, and four columns of texts. */
type Columns = readonly [WithoutEndpoints, string, string, string, string, string];

/** The first character of the packed form. The form of other slices, compressed or not, starts with another character. */
const COLUMNS = '[';
/** The separator of texts in a column. Names, addresses and uids do not contain it. */
const GAP = ' ';
/** The values of a condition; undefined if the condition is not set. */
const STATES = [undefined, false, true] as const;
/** The number of combinations of the three conditions. It is also the radix of `digitOf`, so that one digit represents a combination. */
const COMBINATIONS = STATES.length ** 3;

const stateOf = (condition: boolean | undefined): number => (condition === undefined ? 0 : condition ? 2 : 1);

const digitOf = ({ ready, serving, terminating }: Conditions): string =>
  ((stateOf(ready) * STATES.length + stateOf(serving)) * STATES.length + stateOf(terminating)).toString(COMBINATIONS);

/** The conditions by digit. All endpoints share these objects. */
const CONDITIONS: ReadonlyMap<string, Conditions> = new Map(
  STATES.flatMap((ready) =>
    STATES.flatMap((serving) =>
      STATES.map((terminating): [string, Conditions] => {
        const conditions = {
          ...(ready === undefined ? {} : { ready }),
          ...(serving === undefined ? {} : { serving }),
          ...(terminating === undefined ? {} : { terminating }),
        };
        return [digitOf(conditions), Object.freeze(conditions)];
      }),
    ),
  ),
);

const hasJust = (value: object, properties: number): boolean => Object.keys(value).length === properties;

/** Returns whether the columns can represent all fields of the endpoint. */
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

/** Returns a column: the common prefix of all texts, then the rest of each text. Returns undefined if a text contains the separator. */
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

/** Returns the packed form of a slice, or undefined if the columns cannot represent its endpoints. */
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
  const conditions = pods.map((pod) => digitOf(pod.conditions)).join('');
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

/** Packs cached EndpointSlices without loss, in columns, which are much faster than compression. */
export const SLICE_COLUMNS: Packing<EndpointSlice> = {
  pack: (slice) => {
    const columns = columnsOf(slice);
    return columns === undefined ? packJson(slice) : (JSON.stringify(columns) as PackedJson<EndpointSlice>);
  },
  unpack: (packed) => (packed.startsWith(COLUMNS) ? sliceOf(JSON.parse(packed) as Columns) : unpackJson(packed)),
};
