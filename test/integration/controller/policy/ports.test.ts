import assert from 'node:assert/strict';
import type { Service, ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerPolicySpec } from '../../../../src/policy/custom-resources.ts';
import { aPolicyCache, evaluatedWith } from '../../../support/policy-cache.ts';
import { anException } from '../../../support/policy.ts';
import { lastFailure, INTRANET, ports, requiring, ruled } from '../../../support/policy-controller.ts';
import {
  annotated,
  apply,
  loadBalancers,
  patch,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const ACL = requiring({ annotation: 'acl-status', oneOf: ['on'] });
const HTTPS = requiring({ field: 'protocol', oneOf: ['https'] });
const ACL_FOR_ADMINS: LoadBalancerPolicySpec = {
  constraints: [
    {
      name: 'c',
      when: [{ field: 'port', oneOf: ['22', '3389'] }],
      require: [{ annotation: 'acl-status', oneOf: ['on'] }],
    },
  ],
};
const NO_ADMINS_FOR_ALL: LoadBalancerPolicySpec = {
  constraints: [
    {
      name: 'c',
      when: [{ annotation: 'acl-status', oneOf: ['off'] }],
      require: [{ field: 'port', noneOf: ['22', '3389'] }],
    },
  ],
};

interface Row {
  readonly policy: LoadBalancerPolicySpec;
  readonly from: readonly ServicePort[];
  readonly to: readonly ServicePort[];
  /** Final listeners. */
  readonly serves: readonly string[];
}

const udp = (...numbers: readonly number[]) => ports(...numbers).map((port) => ({ ...port, protocol: 'UDP' as const }));

/** Changes with a new violation: admission denies them, and the controller blocks them if they were stored. */
const WORSE: Readonly<Record<string, Row>> = {
  'a changed port without ACL': {
    policy: ACL,
    from: ports(80),
    to: ports(8080),
    serves: ['tcp 80'],
  },
  'fewer ports, of which one is new': {
    policy: ACL,
    from: ports(80, 81, 443),
    to: ports(8080, 443),
    serves: ['tcp 443', 'tcp 80', 'tcp 81'],
  },
  'the same ports with another protocol': {
    policy: requiring({ annotation: 'scheduler', oneOf: ['wrr'] }),
    from: ports(80, 443),
    to: udp(80, 443),
    serves: ['tcp 443', 'tcp 80'],
  },
  'a changed port with a forbidden protocol': {
    policy: HTTPS,
    from: ports(80),
    to: ports(8080),
    serves: ['tcp 80'],
  },
  'an additional port with a forbidden protocol': {
    policy: HTTPS,
    from: ports(80),
    to: ports(80, 8080),
    serves: ['tcp 80'],
  },
  'an additional port that needs an ACL': {
    policy: ACL_FOR_ADMINS,
    from: ports(22),
    to: ports(22, 3389),
    serves: ['tcp 22'],
  },
  'additional ports, if one of them needs an ACL': {
    policy: ACL_FOR_ADMINS,
    from: ports(22),
    to: ports(22, 3389, 80),
    serves: ['tcp 22', 'tcp 80'],
  },
  'an additional port that a policy for updates forbids': {
    policy: { match: { operations: ['UPDATE'] }, ...requiring({ field: 'port', noneOf: ['22'] }) },
    from: ports(80),
    to: ports(80, 22),
    serves: ['tcp 80'],
  },
  'an additional port that needs another address type': {
    policy: { constraints: [{ name: 'c', when: [{ field: 'port', oneOf: ['22'] }], require: [INTRANET] }] },
    from: ports(80),
    to: ports(80, 22),
    serves: ['tcp 80'],
  },
};

/** Changes without a new violation: they get a warning, and the controller syncs them. */
const NO_WORSE: Readonly<Record<string, Row>> = {
  'a changed port, if the policy is not about listeners': {
    policy: requiring(INTRANET),
    from: ports(80),
    to: ports(8080),
    serves: ['tcp 8080'],
  },
  'an additional port that needs no ACL': {
    policy: ACL_FOR_ADMINS,
    from: ports(22),
    to: ports(22, 80),
    serves: ['tcp 22', 'tcp 80'],
  },
  'an additional port that is permitted': {
    policy: NO_ADMINS_FOR_ALL,
    from: ports(22),
    to: ports(22, 80),
    serves: ['tcp 22', 'tcp 80'],
  },
  'a removed port': { policy: ACL, from: ports(80, 81), to: ports(81), serves: ['tcp 81'] },
};

const served = (of: readonly ServicePort[]): Service => {
  const service = aService();
  return {
    ...service,
    spec: { ...service.spec, ports: [...of] },
    status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } },
  };
};

/** Returns the webhook's decision about the change. */
function verdictOn({ policy, from, to }: Row): string {
  const cache = aPolicyCache({ policies: { p: policy } });
  const { denials, warnings } = evaluatedWith(cache, { object: served(to), oldObject: served(from) });
  return denials.length > 0 ? 'denied' : warnings.length > 0 ? 'warned' : 'accepted';
}

const listening = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.listeners ?? []).map(({ port, protocol }) => `${protocol} ${port}`).sort();

/** Syncs a Service, activates the policy, and changes the Service. */
async function after({ policy, from, to }: Row) {
  const rules = await ruled();
  await apply(rules.run);
  await patch(rules.run, { spec: { ports: from } });
  await rules.enforce(policy);
  await patch(rules.run, { spec: { ports: to } });
  return rules;
}

/** Webhook and controller must agree about a change. Otherwise admission would accept a port that never gets traffic. */
describe('a change of ports under a new policy', () => {
  for (const [what, row] of Object.entries(WORSE)) {
    it(`is denied and blocked: ${what}`, async () => {
      assert.equal(verdictOn(row), 'denied');
      const { run, lift } = await after(row);
      assert.deepEqual([listening(run), statusAndReason(run)], [row.serves, ['False', 'PolicyViolation']]);
      await lift();
      const requested = row.to.map(({ port, protocol = 'TCP' }) => `${protocol.toLowerCase()} ${port}`).sort();
      assert.deepEqual([listening(run), statusAndReason(run)[0]], [requested, 'True']);
      await run.process.stop();
    });
  }

  for (const [what, row] of Object.entries(NO_WORSE)) {
    it(`is warned about and applied: ${what}`, async () => {
      assert.equal(verdictOn(row), 'warned');
      const { run } = await after(row);
      assert.deepEqual(listening(run), row.serves);
      await run.process.stop();
    });
  }

  it('is denied with a hint that the port is new, and that existing listeners may stay', () => {
    const { denials } = evaluatedWith(aPolicyCache({ policies: { p: ACL } }), {
      object: served(ports(8080)),
      oldObject: served(ports(80)),
    });
    assert.deepEqual(
      denials.map(({ note }) => note),
      ['existing listeners may stay, but tcp port 8080 is new'],
    );
  });

  it('is only warned about if an unreadable protocol-port is corrected', () => {
    const serviceWith = (protocolPort: string): Service => ({
      ...served(ports(80)),
      metadata: aService({ annotations: annotated({ 'protocol-port': protocolPort }) }).metadata,
    });
    const { denials, warnings } = evaluatedWith(aPolicyCache({ policies: { p: ACL } }), {
      object: serviceWith('http:80'),
      oldObject: serviceWith('nonsense'),
    });
    assert.deepEqual([denials.length, warnings.length], [0, 1]);
  });
});

describe('a Service whose exception has expired', () => {
  it('keeps its ports, and gets no other', async () => {
    const { run, except } = await ruled(ACL);
    except(anException('e', { rule: 'policy/p/c', expires: '2026-01-01T02:00:00Z' }));
    await apply(run);
    assert.deepEqual(listening(run), ['tcp 80']);
    await run.cluster.quiet(3 * 60 * 60_000);
    assert.deepEqual([listening(run), statusAndReason(run)[0]], [['tcp 80'], 'True']);
    await patch(run, { spec: { ports: ports(8080) } });
    assert.deepEqual([listening(run), statusAndReason(run)], [['tcp 80'], ['False', 'PolicyViolation']]);
    assert.match(lastFailure(run), /blocked: create tcp listener 8080$/);
    await run.process.stop();
  });
});
