import { CATALOGUE, type OptionName } from '../../src/annotation/catalogue.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { randomOf, type Random } from '../fuzz/random.ts';
import { aService } from './service.ts';

/** A Service as written, and as stored unless it is new. */
export interface Change {
  readonly name: string;
  readonly object: Service;
  readonly oldObject?: Service;
}

const tags = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}=v`).join(',');

/** The values that depend on other values, or are immutable. */
type Words = readonly [OptionName, readonly [string, ...string[]]];
const WORDS: readonly [Words, ...Words[]] = [
  ['id', ['', 'lb-bp1one', 'lb-bp1two', 'lb-xxx']],
  ['forceOverrideListeners', ['true', 'false']],
  ['addressType', ['internet', 'intranet', 'Intranet', '']],
  ['ip', ['192.168.0.5', '192.168.0.6', 'none']],
  ['ipVersion', ['ipv4', 'ipv6']],
  ['networkType', ['vpc', 'classic']],
  ['masterZoneid', ['cn-hangzhou-b', 'cn-hangzhou-g', 'no zone']],
  ['instanceChargeType', ['PayBySpec', 'PayByCLCU', 'paybyspec']],
  ['chargeType', ['paybytraffic', 'paybybandwidth']],
  ['bandwidth', ['100', '5100', '05100', '0', '9000', 'x']],
  ['listenerBandwidth', ['10', '60', '0', 'x']],
  ['scheduler', ['rr', 'wrr', 'sch', 'tch', 'qch', 'wlc']],
  ['protocolPort', ['', 'http:80', 'https:443', 'udp:53', 'HTTP:80', 'http:80,https:443', 'http:81']],
  ['forwardPort', ['80:443']],
  ['aclStatus', ['on', 'off', 'ON', 'true']],
  ['aclId', ['acl-bp1one', '', 'x y']],
  ['aclType', ['white', 'grey']],
  ['connectionDrain', ['on', 'off']],
  ['connectionDrainTimeout', ['30', '0', '5']],
  ['stickySession', ['on', 'off']],
  ['stickySessionType', ['insert', 'server', 'other']],
  ['cookieTimeout', ['100', '0']],
  ['cookie', ['c', '']],
  [
    'additionalResourceTags',
    ['a=b', Array.from({ length: 20 }, (_, index) => `k${index % 19}=v`).join(','), tags(19), tags(20)],
  ],
  ['externalIpType', ['eip']],
];

type Spec = NonNullable<Service['spec']>;
const PORTS: readonly [Spec, ...Spec[]] = [
  { ports: [{ name: 'a', port: 80, protocol: 'TCP' }] },
  {
    ports: [
      { name: 'a', port: 80, protocol: 'TCP' },
      { name: 'b', port: 443, protocol: 'TCP' },
    ],
  },
  { ports: [{ name: 'a', port: 53, protocol: 'UDP' }] },
  {
    ports: [
      { name: 'a', port: 80, protocol: 'TCP' },
      { name: 'b', port: 80, protocol: 'UDP' },
    ],
  },
  {
    ports: [
      { name: 'a', port: 80, protocol: 'TCP' },
      { name: 'b', port: 90, protocol: 'SCTP' },
    ],
  },
  { ports: Array.from({ length: 51 }, (_, index) => ({ name: `p${index}`, port: 1000 + index, protocol: 'TCP' })) },
];
const STATUS: readonly [object, ...object[]] = [
  {},
  { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
  { loadBalancer: { ingress: [{ ip: '192.168.0.5' }] } },
  { loadBalancer: { ingress: [{ hostname: 'shop.example.com' }] } },
];

function side(random: Random, name: string, like?: Service): Service {
  const annotations: Record<string, string> = { ...like?.metadata.annotations };
  const count = like === undefined ? 7 : 2;
  for (let index = 0; index < count; index++) {
    const [option, values] = random.pick(WORDS);
    if (random.oneIn(5)) Reflect.deleteProperty(annotations, CATALOGUE[option].key);
    else annotations[CATALOGUE[option].key] = random.pick(values);
  }
  const isKept = like !== undefined && !random.oneIn(4);
  const spec: Spec = isKept && like.spec !== undefined ? like.spec : { ...random.pick(PORTS), type: 'LoadBalancer' };
  return { ...aService({ name, annotations }), spec };
}

/** Returns a change of dependent or immutable values, equal for equal seed and number. Webhook and admission policies must agree on it. */
export function randomChange(seed: number, number: number): Change {
  const random = randomOf(seed, number);
  const name = `random-${number}`;
  if (random.oneIn(3)) return { name, object: side(random, name) };
  const isOther = random.oneIn(8);
  const had = side(random, name);
  const labels = random.oneIn(3) ? { 'service.k8s.alibaba/loadbalancer-id': 'lb-bp1one' } : {};
  const status = isOther ? {} : random.pick(STATUS);
  const oldObject = { ...had, metadata: { ...had.metadata, labels }, status };
  const next = side(random, name, had);
  return {
    name,
    oldObject: isOther ? { ...oldObject, spec: { ...oldObject.spec, type: 'ClusterIP' } } : oldObject,
    object: { ...next, metadata: { ...next.metadata, labels }, status },
  };
}
