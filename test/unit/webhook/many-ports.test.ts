import assert from 'node:assert/strict';
import { CURRENT_PREFIX } from '../../../src/annotation/keys.ts';
import type { Facts, PortHolder } from '../../../src/inventory/facts.ts';
import { listenersRequestedBy } from '../../../src/inventory/reuse-index.ts';
import { objectKey, type Service, type ServicePort } from '../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { resultOf } from '../../../webhook/admission/response.ts';
import { aFacts } from '../../support/facts.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

const FEWER = 1_000;

/** Counts how often the evaluation reads a port number, as a measure of its costs. */
class PortReads {
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

function serviceWith(count: number, { annotations = {}, port }: Many, reads: PortReads): Service {
  const keyed = Object.entries(annotations).map(([name, value]) => [`${CURRENT_PREFIX}loadbalancer-${name}`, value]);
  const service = aService({ annotations: Object.fromEntries(keyed) as Record<string, string> });
  const ports = numbers(count).map((number) =>
    reads.at({ name: `p${number}`, protocol: 'TCP', port: number, targetPort: number, ...port }),
  );
  return { ...service, spec: { ...service.spec, ports } };
}

function factsOf(count: number, { isInUse }: Many, reads: PortReads): Facts {
  const facts = aFacts({ loadBalancers: { 'lb-1': { owner: 'user', listeners: [] } } });
  const service = objectKey('other', 'shop');
  const holders = numbers(isInUse === true ? count : 0).map((port): PortHolder =>
    reads.at({ service, port, protocol: 'tcp' }),
  );
  return { ...facts, portHolders: () => holders };
}

/** Returns the number of reads during the evaluation of a Service with `count` ports. */
function readsAt(count: number, many: Many): number {
  const reads = new PortReads();
  const [object, stored] = [serviceWith(count, many, reads), serviceWith(count, many, reads)];
  const labelled = {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, a: 'b' } },
  };
  const request = readReview(aReview(many.isUpdate ? { object: labelled, oldObject: stored } : { object }));
  const context = { facts: factsOf(count, many, reads), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
  resultOf(request, validate(request, context));
  return reads.count;
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
  'with one number for all ports': { annotations: HTTP, port: { port: 80 } },
  'on a user-managed load balancer': { annotations: REUSED },
  'with user-managed server groups': {
    annotations: { ...REUSED, 'vgroup-port': entries((number) => `rsp-1:${number}`) },
  },
  'in use by another Service': { annotations: OVERRIDDEN, isInUse: true },
  'in an update': { annotations: HTTP, port: { targetPort: 'Not a name' }, isUpdate: true },
};

/** A tenant can write thousands of ports, so a quadratic evaluation would block the webhook for all tenants. */
describe('a Service with very many ports', () => {
  for (const [title, many] of Object.entries(CASES)) {
    it(`costs no more per port than a Service with half as many: ${title}`, () => {
      const [fewer, more] = [readsAt(FEWER, many), readsAt(2 * FEWER, many)];
      assert.ok(more <= 2.1 * fewer, `${fewer} reads become ${more}`);
    });
  }

  it('gets its requested listeners with reads that grow linearly with its ports', () => {
    const readsOf = (count: number): number => {
      const reads = new PortReads();
      assert.equal(listenersRequestedBy(serviceWith(count, { annotations: HTTP }, reads)).length, count);
      return reads.count;
    };
    assert.ok(readsOf(2 * FEWER) <= 2.1 * readsOf(FEWER));
  });

  it('gets the protocol of each port from the first valid entry of protocol-port', () => {
    const count = 20;
    const reads = new PortReads();
    const input = { annotations: { 'protocol-port': 'udp:1,http:2,https:2,http:19' } };
    const { spec, metadata } = serviceWith(count, input, reads);
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
