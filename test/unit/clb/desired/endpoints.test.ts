import assert from 'node:assert/strict';
import { podEndpoints, type Pods } from '../../../../src/clb/desired/endpoints.ts';
import {
  objectKey,
  type Endpoint,
  type EndpointSlice,
  type ServicePort,
} from '../../../../src/base/kubernetes-objects.ts';

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

/** Endpoints decide which pods receive traffic, including pods that terminate or are not ready. */
describe('the addresses of a port', () => {
  const cases: Record<string, [port: ServicePort, pods: Pods, expected: readonly string[]]> = {
    'include ready endpoints': [PORT, of([slice([at('a'), at('b', { ready: false })])]), ['a:8080']],
    'include endpoints without conditions': [
      PORT,
      of([slice([at('a', {}), at('b', { ready: null })])]),
      ['a:8080', 'b:8080'],
    ],
    'exclude terminating endpoints while other endpoints are ready': [
      PORT,
      of([slice([at('a'), at('b', { ready: false, serving: true, terminating: true })])]),
      ['a:8080'],
    ],
    'include serving, terminating endpoints if no endpoint is ready': [
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
    'include each address once, even if it is in two slices': [
      PORT,
      of([slice([at('a')]), slice([at('a'), at('b')])]),
      ['a:8080', 'b:8080'],
    ],
    'include an address that is ready in only one of two slices': [
      PORT,
      of([slice([at('a', { ready: false, terminating: true })]), slice([at('a')])]),
      ['a:8080'],
    ],
    'are of a single family': [
      PORT,
      of([slice([at('a')]), slice([at('::1')], { addressType: 'IPv6' })], { family: 'IPv6' }),
      ['::1:8080'],
    ],
    'are never host names': [PORT, of([slice([at('example.com')], { addressType: 'FQDN' })]), []],
    'come only from slices with the port': [PORT, of([slice([at('a')], { ports: [{ name: 'other', port: 1 }] })]), []],
    'come from slices without a list of ports too': [
      PORT,
      of([slice([at('a')], { ports: undefined }), slice([at('b')], { ports: null })]),
      ['a:8080', 'b:8080'],
    ],
    'have the number of a named target port, per slice': [
      NAMED,
      of([slice([at('a')]), slice([at('b')], { ports: [{ name: 'web', port: 9090 }] })]),
      ['a:8080', 'b:9090'],
    ],
    'are omitted without a number for a named target port': [NAMED, of([slice([at('a')], { ports: undefined })]), []],
    'have the port of the Service without another target port': [
      { name: 'web', port: 80 },
      of([slice([at('a')], { ports: [{ name: 'web', port: 80 }] })]),
      ['a:80'],
    ],
    'have the changed target port of the Service before the slices have the change': [
      { ...PORT, targetPort: 9090 },
      of([slice([at('a')])]),
      ['a:9090'],
    ],
    'have the number of the slice if a user manages the slices': [
      { ...PORT, targetPort: 9090 },
      of([slice([at('a')])], { hasSelector: false }),
      ['a:8080'],
    ],
    'include pods that wait only for our readiness gate': [
      PORT,
      of([slice([at('a', { ready: false }, POD), at('b', { ready: false })])], {
        awaiting: new Set([objectKey('a', 'shop')]),
      }),
      ['a:8080'],
    ],
    'exclude terminating pods that wait for our readiness gate': [
      PORT,
      of([slice([at('a', { ready: false, serving: false, terminating: true }, POD)])], {
        awaiting: new Set([objectKey('a', 'shop')]),
      }),
      [],
    ],
    'are none in a slice without endpoints': [PORT, of([slice(undefined)]), []],
    'are none in an endpoint without addresses': [PORT, of([slice([at('a', {}, { addresses: [] })])]), []],
  };
  for (const [title, [port, pods, expected]] of Object.entries(cases)) {
    it(title, () =>
      assert.deepEqual(
        podEndpoints(port, pods).map((found) => `${found.address}:${String(found.port)}`),
        expected,
      ),
    );
  }

  it('contain their owner: a pod, else a Node, else none', () => {
    const pods = of([slice([at('a', {}, POD), at('b'), at('c', {}, { nodeName: undefined })])]);
    assert.deepEqual(
      podEndpoints(PORT, pods).map(({ pod }) => pod),
      ['uid-a', 'n1', ''],
    );
  });
});
