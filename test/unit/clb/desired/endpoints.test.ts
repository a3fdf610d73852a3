import assert from 'node:assert/strict';
import { podEndpoints, type Pods } from '../../../../src/clb/desired/endpoints.ts';
import { objectKey, type Endpoint, type EndpointSlice, type ServicePort } from '../../../../src/base/objects.ts';

const PORT: ServicePort = { name: 'web', port: 80, targetPort: 8080, protocol: 'TCP' };
const NAMED: ServicePort = { ...PORT, targetPort: 'http' };

const at = (address: string, conditions: object = { ready: true }, over: object = {}): Endpoint => ({
  addresses: [address],
  nodeName: 'n1',
  conditions,
  ...over,
});
const slice = (endpoints: readonly Endpoint[] | undefined, over: object = {}): EndpointSlice => ({
  metadata: { name: 's', namespace: 'shop', uid: '', resourceVersion: '' },
  addressType: 'IPv4',
  ports: [{ name: 'web', port: 8080 }],
  ...(endpoints === undefined ? {} : { endpoints }),
  ...over,
});
const of = (slices: readonly EndpointSlice[], over: Partial<Pods> = {}): Pods => ({
  slices,
  family: 'IPv4',
  hasSelector: true,
  awaiting: new Set(),
  ...over,
});
const POD = { targetRef: { kind: 'Pod', name: 'a', namespace: 'shop', uid: 'uid-a' } };

describe('the addresses behind a port', () => {
  const cases: Record<string, [port: ServicePort, pods: Pods, expected: readonly string[]]> = {
    'are those that are ready': [PORT, of([slice([at('a'), at('b', { ready: false })])]), ['a:8080']],
    'are also those of which nothing is said': [
      PORT,
      of([slice([at('a', {}), at('b', { ready: null })])]),
      ['a:8080', 'b:8080'],
    ],
    'are not those that end, as long as others are ready': [
      PORT,
      of([slice([at('a'), at('b', { ready: false, serving: true, terminating: true })])]),
      ['a:8080'],
    ],
    'are those that still serve while they end, where none is ready': [
      PORT,
      of([
        slice([
          at('a', { ready: false, serving: true, terminating: true }),
          at('b', { ready: false, serving: false, terminating: true }),
          at('c', { ready: false }),
        ]),
      ]),
      ['a:8080'],
    ],
    'are each there once, though in two slices': [
      PORT,
      of([slice([at('a')]), slice([at('a'), at('b')])]),
      ['a:8080', 'b:8080'],
    ],
    'are ready where one of two slices says so': [
      PORT,
      of([slice([at('a', { ready: false, terminating: true })]), slice([at('a')])]),
      ['a:8080'],
    ],
    'are of one family': [
      PORT,
      of([slice([at('a')]), slice([at('::1')], { addressType: 'IPv6' })], { family: 'IPv6' }),
      ['::1:8080'],
    ],
    'are no host names': [PORT, of([slice([at('example.com')], { addressType: 'FQDN' })]), []],
    'are only of slices that have the port': [
      PORT,
      of([slice([at('a')], { ports: [{ name: 'other', port: 1 }] })]),
      [],
    ],
    'are of slices without a list of ports too': [
      PORT,
      of([slice([at('a')], { ports: undefined }), slice([at('b')], { ports: null })]),
      ['a:8080', 'b:8080'],
    ],
    'have the number that a name means, slice by slice': [
      NAMED,
      of([slice([at('a')]), slice([at('b')], { ports: [{ name: 'web', port: 9090 }] })]),
      ['a:8080', 'b:9090'],
    ],
    'are left out where a name means no number': [NAMED, of([slice([at('a')], { ports: undefined })]), []],
    'have the port of the Service where it names no other': [
      { name: 'web', port: 80 },
      of([slice([at('a')], { ports: [{ name: 'web', port: 80 }] })]),
      ['a:80'],
    ],
    'have the new number of a Service whose slices are behind': [
      { ...PORT, targetPort: 9090 },
      of([slice([at('a')])]),
      ['a:9090'],
    ],
    'have the number of the slice where people make the slices': [
      { ...PORT, targetPort: 9090 },
      of([slice([at('a')])], { hasSelector: false }),
      ['a:8080'],
    ],
    'are those that wait for nothing but us': [
      PORT,
      of([slice([at('a', { ready: false }, POD), at('b', { ready: false })])], {
        awaiting: new Set([objectKey('a', 'shop')]),
      }),
      ['a:8080'],
    ],
    'are not those that wait for us and end': [
      PORT,
      of([slice([at('a', { ready: false, serving: false, terminating: true }, POD)])], {
        awaiting: new Set([objectKey('a', 'shop')]),
      }),
      [],
    ],
    'are none in a slice without endpoints': [PORT, of([slice(undefined)]), []],
    'are none in an endpoint without addresses': [PORT, of([slice([at('a', {}, { addresses: [] })])]), []],
  };
  for (const [sentence, [port, pods, expected]] of Object.entries(cases)) {
    it(sentence, () =>
      assert.deepEqual(
        podEndpoints(port, pods).map((found) => `${found.address}:${String(found.port)}`),
        expected,
      ),
    );
  }

  it('say whose they are: a pod, else a Node, else nobody', () => {
    const pods = of([slice([at('a', {}, POD), at('b'), at('c', {}, { nodeName: undefined })])]);
    assert.deepEqual(
      podEndpoints(PORT, pods).map(({ pod }) => pod),
      ['uid-a', 'n1', ''],
    );
  });
});
