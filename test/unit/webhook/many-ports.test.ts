import assert from 'node:assert/strict';
import { CURRENT_PREFIX } from '../../../src/annotation/keys.ts';
import type { Facts, PortHolder } from '../../../src/inventory/facts.ts';
import { listenersRequestedBy } from '../../../src/inventory/reused-load-balancer.ts';
import { objectKey, type Service, type ServicePort } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy.ts';
import { readReview } from '../../../webhook/admission/review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { resultOf } from '../../../webhook/admission/response.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

const FEWER = 1_000;

/** Counter of reads of port numbers. */
class Looks {
  count = 0;

  /** Returns a copy whose port number counts its reads. */
  at<Port extends { readonly port: number }>(of: Port): Port {
    const { port } = of;
    return Object.defineProperty({ ...of }, 'port', { enumerable: true, get: () => ((this.count += 1), port) });
  }
}

interface Many {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly port?: Partial<ServicePort>;
  /** True if another Service has all ports on the load balancer. */
  readonly isInUse?: true;
  readonly isUpdate?: true;
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

function serviceWith(count: number, { annotations = {}, port }: Many, looks: Looks): Service {
  const keyed = Object.entries(annotations).map(([name, value]) => [`${CURRENT_PREFIX}loadbalancer-${name}`, value]);
  const service = aService({ annotations: Object.fromEntries(keyed) as Record<string, string> });
  const ports = numbers(count).map((number) =>
    looks.at({ name: `p${number}`, protocol: 'TCP', port: number, targetPort: number, ...port }),
  );
  return { ...service, spec: { ...service.spec, ports } };
}

function factsOf(count: number, { isInUse }: Many, looks: Looks): Facts {
  const facts = aFacts({ loadBalancers: { 'lb-1': { owner: 'user', listeners: [] } } });
  const service = objectKey('other', 'shop');
  const holders = numbers(isInUse === true ? count : 0).map((port): PortHolder =>
    looks.at({ service, port, protocol: 'tcp' }),
  );
  return { ...facts, portHolders: () => holders };
}

/** Returns the number of reads during the evaluation of a Service with `count` ports. */
function looksAt(count: number, many: Many): number {
  const looks = new Looks();
  const [object, stored] = [serviceWith(count, many, looks), serviceWith(count, many, looks)];
  const labelled = {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, a: 'b' } },
  };
  const request = readReview(aReview(many.isUpdate ? { object: labelled, oldObject: stored } : { object }));
  const context = { facts: factsOf(count, many, looks), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
  resultOf(request, validate(request, context));
  return looks.count;
}

const entries = (text: (number: number) => string): string => numbers(200).map(text).join(',');
const HTTP = { 'protocol-port': entries((number) => `http:${number}`) };
const REUSED = { id: 'lb-1' };
const OVERRIDDEN = { ...REUSED, 'force-override-listeners': 'true' };

const CASES: Readonly<Record<string, Many>> = {
  'without annotations': {},
  'with some entries in protocol-port': { annotations: HTTP },
  'with some redirects': { annotations: { ...HTTP, 'forward-port': entries((number) => `${number}:443`) } },
  'with a violation each': { port: { protocol: 'SCTP', targetPort: 'Not a name' } },
  'with the same number each': { annotations: HTTP, port: { port: 80 } },
  'on a user-managed load balancer': { annotations: REUSED },
  'with user-managed server groups': {
    annotations: { ...REUSED, 'vgroup-port': entries((number) => `rsp-1:${number}`) },
  },
  'in use by another Service': { annotations: OVERRIDDEN, isInUse: true },
  'in an update': { annotations: HTTP, port: { targetPort: 'Not a name' }, isUpdate: true },
};

/** A tenant can write thousands of ports. With a quadratic evaluation, the webhook would block for all tenants. */
describe('a Service with very many ports', () => {
  for (const [title, many] of Object.entries(CASES)) {
    it(`costs no more per port than a Service with half as many: ${title}`, () => {
      const [fewer, more] = [looksAt(FEWER, many), looksAt(2 * FEWER, many)];
      assert.ok(more <= 2.1 * fewer, `${fewer} looks become ${more}`);
    });
  }

  it('is cheap in the cache too, when rules read the ports in use', () => {
    const looksOf = (count: number): number => {
      const looks = new Looks();
      assert.equal(listenersRequestedBy(serviceWith(count, { annotations: HTTP }, looks)).length, count);
      return looks.count;
    };
    assert.ok(looksOf(2 * FEWER) <= 2.1 * looksOf(FEWER));
  });

  it('has each port mapped like a Service with few ports', () => {
    const count = 20;
    const looks = new Looks();
    const input = { annotations: { 'protocol-port': 'udp:1,http:2,https:2,http:19' } };
    const { spec, metadata } = serviceWith(count, input, looks);
    const twice = [...(spec?.ports ?? []), { port: 1, protocol: 'UDP' }];
    const listeners = listenersRequestedBy({ ...aService(), metadata, spec: { type: 'LoadBalancer', ports: twice } });
    assert.deepEqual(
      listeners.filter(({ protocol }) => protocol !== 'tcp'),
      [
        { port: 2, protocol: 'http' },
        { port: 19, protocol: 'http' },
        { port: 1, protocol: 'udp' },
      ],
    );
  });
});
