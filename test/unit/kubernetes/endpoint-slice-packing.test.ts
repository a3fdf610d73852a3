import assert from 'node:assert/strict';
import { SLICE_COLUMNS } from '../../../src/kubernetes/endpoint-slice-packing.ts';
import type { Endpoint, EndpointSlice } from '../../../src/base/kubernetes-objects.ts';
import { packJson } from '../../../src/base/object-packing.ts';

const anEndpoint = (at: number, over: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`10.2.0.${at}`],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: `cn-hangzhou.10.0.0.${at}`,
  targetRef: { kind: 'Pod', namespace: 'shop', name: `web-6d4b75cb6d-${at}`, uid: `5b1f-${at}` },
  ...over,
});

const aSliceOf = (endpoints: readonly Endpoint[], over: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: {
    name: 'web-x7k2p',
    namespace: 'shop',
    uid: 'a-1',
    resourceVersion: '7',
    labels: { 'kubernetes.io/service-name': 'web' },
  },
  addressType: 'IPv4',
  endpoints,
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  ...over,
});

const many = Array.from({ length: 15 }, (_, at) => anEndpoint(at));
const without = <Value extends object>(value: Value, name: keyof Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Value;
const STATES = [undefined, false, true];
const stateOf = (state: boolean | undefined, name: string) => (state === undefined ? {} : { [name]: state });

const inColumns: Readonly<Record<string, EndpointSlice>> = {
  'a single pod': aSliceOf([anEndpoint(1)]),
  'many pods': aSliceOf(many),
  'pods on a Node whose name is a prefix of another name': aSliceOf([
    anEndpoint(1, { nodeName: 'n' }),
    anEndpoint(2, { nodeName: 'n1' }),
    anEndpoint(3, { nodeName: 'n' }),
  ]),
  'every combination of conditions': aSliceOf(
    STATES.flatMap((ready) =>
      STATES.flatMap((serving) =>
        STATES.map((terminating, at) =>
          anEndpoint(at, {
            conditions: {
              ...stateOf(ready, 'ready'),
              ...stateOf(serving, 'serving'),
              ...stateOf(terminating, 'terminating'),
            },
          }),
        ),
      ),
    ),
  ),
  'addresses of IPv6': aSliceOf([anEndpoint(1, { addresses: ['fd00::1'] })], { addressType: 'IPv6' }),
  'empty texts': aSliceOf([anEndpoint(1, { nodeName: '' }), anEndpoint(2)]),
  'a slice without a list of ports': without(aSliceOf(many), 'ports'),
};

const otherwise: Readonly<Record<string, EndpointSlice>> = {
  'a slice with an empty list of endpoints': aSliceOf([]),
  'a slice without a list of endpoints': without(aSliceOf([]), 'endpoints'),
  'an endpoint with no or two addresses': aSliceOf([
    anEndpoint(1, { addresses: [] }),
    anEndpoint(2, { addresses: ['10.2.0.2', '10.2.0.3'] }),
  ]),
  'an endpoint without conditions among other endpoints': aSliceOf([...many, without(anEndpoint(1), 'conditions')]),
  'a condition that is null': aSliceOf([anEndpoint(1, { conditions: JSON.parse('{"ready":null}') as object })]),
  'a condition that only a later version of Kubernetes has': aSliceOf([
    anEndpoint(1, { conditions: JSON.parse('{"warm":true}') as object }),
  ]),
  'an endpoint on no Node': aSliceOf([without(anEndpoint(1), 'nodeName')]),
  'an endpoint that is not a pod': aSliceOf([
    without(anEndpoint(1), 'targetRef'),
    anEndpoint(2, { targetRef: { kind: 'VM', name: 'vm-1' } }),
  ]),
  'a pod of another namespace': aSliceOf([
    anEndpoint(1, { targetRef: { kind: 'Pod', namespace: 'other', name: 'web', uid: '1' } }),
  ]),
  'a field without a column': aSliceOf([anEndpoint(1, { zone: 'cn-hangzhou-b' })]),
  'a text with a space': aSliceOf([
    anEndpoint(1, { targetRef: { kind: 'Pod', namespace: 'shop', name: 'web', uid: 'one two' } }),
  ]),
};

/** EndpointSlices are the largest part of the caches, so they are stored in columns, which must not lose a field. */
describe('slices in columns', () => {
  for (const [title, slice] of Object.entries({ ...inColumns, ...otherwise }))
    it(`restore ${title}`, () => assert.deepEqual(SLICE_COLUMNS.unpack(SLICE_COLUMNS.pack(slice)), slice));

  it('exclude only the slices that columns cannot represent', () => {
    const isInColumns = (slice: EndpointSlice): boolean => SLICE_COLUMNS.pack(slice) !== packJson(slice);
    assert.deepEqual(
      [Object.values(inColumns).map(isInColumns), Object.values(otherwise).map(isInColumns)],
      [Object.values(inColumns).map(() => true), Object.values(otherwise).map(() => false)],
    );
  });

  it('need at most a third of the memory', () => {
    assert.ok(SLICE_COLUMNS.pack(aSliceOf(many)).length < JSON.stringify(aSliceOf(many)).length / 3);
  });
});
