import assert from 'node:assert/strict';
import type { LoadBalancerId } from '../../../src/clb/model/ids.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { objectKey } from '../../../src/base/objects.ts';
import { exitCodeOf, planJson, summary, textReport, type ServicePlanReport } from '../../../src/plan-command/report.ts';

const changed: ServicePlanReport = {
  service: objectKey('web', 'shop'),
  denied: [],
  plan: {
    actions: [
      { kind: 'rename', name: 'shop' },
      { kind: 'delete-load-balancer', id: 'lb-1' as LoadBalancerId },
    ],
    blocked: [
      { action: { kind: 'untag', keys: ['a'] }, rule: 'PortUnavailable', reason: 'it is held' },
      { rule: 'PortUnavailable', reason: 'it is held' },
    ],
  },
};
const well: ServicePlanReport = { service: objectKey('api', 'shop'), denied: [], plan: { actions: [], blocked: [] } };
const denied: ServicePlanReport = { ...well, service: objectKey('bad', 'shop'), denied: ['scheduler: no'] };
const failed: ServicePlanReport = {
  service: objectKey('far', 'shop'),
  failure: new PortcullisError('Forbidden', 'permission slb:X is missing', { requestId: 'R-1' }),
};

describe('a plan as text', () => {
  const reports = {
    'lists each call, and each blocked action once': [
      [changed],
      'Service shop/web\n  rename the load balancer to shop\n  delete load balancer lb-1\n  blocked (PortUnavailable): it is held\n',
    ],
    'reports an empty plan for a single Service': [[well], 'Service shop/api\n  nothing to do\n'],
    'omits Services without actions among many': [
      [well, denied, failed],
      'Service shop/bad\n  denied: scheduler: no\n\nService shop/far\n  could not be planned for: permission slb:X is missing\n',
    ],
    'is empty without a Service': [[], ''],
  } as const;
  for (const [title, [planned, expected]] of Object.entries(reports))
    it(title, () => assert.equal(textReport(planned), expected));

  const codes = {
    'exits with 0 without a finding': [[changed, well], 0],
    'exits with 1 if a Service is denied': [[changed, denied], 1],
    'exits with 2 if it is incomplete': [[denied, failed], 2],
  } as const;
  for (const [title, [planned, expected]] of Object.entries(codes))
    it(title, () => assert.equal(exitCodeOf(planned), expected));

  it('has a single summary line', () => {
    assert.equal(
      summary([changed, well, failed]),
      '3 Services, 2 calls that would change something; 1 Service could not be planned for; nothing was changed',
    );
    assert.equal(summary([well]), '1 Service, 0 calls that would change something; nothing was changed');
  });
});

describe('a plan as data', () => {
  it('has every action with its fields and its description', () => {
    assert.deepEqual(planJson(changed), {
      service: 'shop/web',
      denied: [],
      actions: [
        { kind: 'rename', name: 'shop', text: 'rename the load balancer to shop' },
        { kind: 'delete-load-balancer', id: 'lb-1', text: 'delete load balancer lb-1' },
      ],
      blocked: [
        {
          rule: 'PortUnavailable',
          reason: 'it is held',
          action: { kind: 'untag', keys: ['a'], text: 'remove tags from the load balancer: a' },
        },
        { rule: 'PortUnavailable', reason: 'it is held' },
      ],
    });
  });

  it('has the reason for a missing plan, and the request id', () => {
    assert.deepEqual(planJson(failed), {
      service: 'shop/far',
      failure: { reason: 'Forbidden', message: 'permission slb:X is missing', requestId: 'R-1' },
    });
  });
});
