import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Action } from '../../../src/clb/model/action.ts';
import type { LoadBalancerId } from '../../../src/clb/model/ids.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { objectKey } from '../../../src/base/kubernetes-objects.ts';
import { COLORED_DIFF, diffText, PLAIN_DIFF, planText } from '../../../src/plan-command/diff-text.ts';
import { planJson } from '../../../src/plan-command/plan-json.ts';
import { exitCodeOf, summary, type ServicePlanReport } from '../../../src/plan-command/plan-summary.ts';
import type { BlockedAction } from '../../../src/plan/plan.ts';
import { aBackend, aListener, aLoadBalancer, anObserved, aPresent, groupName } from '../../support/clb-objects.ts';
import { root } from '../../support/manifests.ts';

/** Returns the report of a Service on `lb-own`. */
function reported(
  name: string,
  actions: readonly Action[],
  over: {
    readonly blocked?: readonly BlockedAction<Action>[];
    readonly denied?: readonly string[];
    readonly assumedPorts?: readonly number[];
  } = {},
): ServicePlanReport {
  const { blocked = [], denied = [], assumedPorts = [] } = over;
  const plan = { actions, blocked };
  const parts = [{ desired: aPresent(), observed: anObserved(), plan }];
  return { service: objectKey(name, 'shop'), denied, parts, plan, lostAddresses: [], assumedPorts };
}

const LOST = { address: '47.0.0.1', loadBalancer: 'lb-own' } as const;
const CHANGED = reported(
  'web',
  [
    { kind: 'create-server-group', group: groupName(30_000), backends: [aBackend('i-1', 30_000)] },
    { kind: 'update-listener', listener: { port: 80, protocol: 'tcp' }, set: { scheduler: 'wrr' } },
    { kind: 'tag', tags: { team: 'shop' } },
    { kind: 'delete-server-group', group: groupName(30_080) },
  ],
  {
    blocked: [
      { action: { kind: 'untag', keys: ['a'] }, rule: 'PortUnavailable', reason: 'the port is used' },
      { rule: 'PortUnavailable', reason: 'the port is used' },
    ],
  },
);
const DELETED: ServicePlanReport = {
  ...reported('old', [{ kind: 'delete-load-balancer', id: 'lb-own' as LoadBalancerId }]),
  lostAddresses: [{ ...LOST, reason: 'deleted' }],
};
const WELL = reported('api', []);
const DENIED = reported('bad', [], { denied: ['scheduler: no', 'bandwidth: no'] });
const FAILED: ServicePlanReport = {
  service: objectKey('far', 'shop'),
  failure: new PortcullisError('Forbidden', 'permission slb:X is missing', { requestId: 'R-1' }),
};

/** Pipelines parse the plan and decide by its exit code. */
describe('the text of a plan', () => {
  const texts: Readonly<Record<string, readonly [reports: readonly ServicePlanReport[], text: readonly string[]]>> = {
    'is a diff with old and new values, and each blocked reason once': [
      [CHANGED],
      [
        'Service shop/web',
        '  + create server group k8s/30000/web/shop/c1',
        '    + backends[i-1:30000].weight: 100',
        '  ~ change listener 80/tcp',
        '    ~ scheduler: rr → wrr',
        '  ~ change load balancer lb-own',
        '    + tags[team]: shop',
        '  - delete server group k8s/30080/web/shop/c1',
        '  blocked (PortUnavailable): the port is used',
      ],
    ],
    'has a line for a lost address': [
      [DELETED],
      [
        'Service shop/old',
        '  - delete load balancer lb-own',
        '  ! lost address 47.0.0.1: load balancer lb-own is deleted, and its address is released',
      ],
    ],
    'has a line for an address that a user-managed load balancer keeps': [
      [{ ...WELL, lostAddresses: [{ ...LOST, reason: 'detached' }] }],
      [
        'Service shop/api',
        '  ! lost address 47.0.0.1: user-managed load balancer lb-own keeps the address, without the Service',
      ],
    ],
    'marks assumed node ports in names and backends': [
      [{ ...CHANGED, assumedPorts: [30_000], plan: { actions: [], blocked: [] } }],
      [
        'Service shop/web',
        '  + create server group k8s/30000*/web/shop/c1',
        '    + backends[i-1:30000*].weight: 100',
        '  ~ change listener 80/tcp',
        '    ~ scheduler: rr → wrr',
        '  ~ change load balancer lb-own',
        '    + tags[team]: shop',
        '  - delete server group k8s/30080/web/shop/c1',
        '  * assumed: the API server assigns the node port',
      ],
    ],
    'names every violation of a denied Service': [
      [DENIED],
      ['Service shop/bad', '  denied: scheduler: no', '  denied: bandwidth: no'],
    ],
    'reports that a single Service needs no change': [[WELL], ['Service shop/api', '  no changes']],
    'omits Services without changes if there are several': [
      [WELL, DENIED, FAILED],
      [
        'Service shop/bad',
        '  denied: scheduler: no',
        '  denied: bandwidth: no',
        '',
        'Service shop/far',
        '  failed: permission slb:X is missing',
      ],
    ],
    'is empty without Services': [[], []],
  };
  for (const [title, [reports, text]] of Object.entries(texts))
    it(title, () => assert.equal(diffText(reports), text.map((line) => `${line}\n`).join('')));

  it('names the load balancer of each part if there are several', () => {
    const action: Action = { kind: 'delete-listener', listener: { port: 80, protocol: 'tcp' } };
    const part = (id: string) => ({
      desired: aPresent(),
      observed: anObserved({ loadBalancer: aLoadBalancer({ id: id as LoadBalancerId }) }),
      plan: { actions: [action], blocked: [] },
    });
    const text = diffText([{ ...WELL, parts: [part('lb-1'), part('lb-2')] }]);
    assert.match(text, /- delete listener 80\/tcp of lb-1\n {2}- delete listener 80\/tcp of lb-2\n/);
  });

  it('escapes the characters of a value that control a terminal', () => {
    const text = diffText([reported('web', [{ kind: 'tag', tags: { team: 'a\u001b[31m\nb' } }])]);
    assert.match(text, /tags\[team\]: a\\u001b\[31m\\u000ab\n$/);
  });

  it('has colors only if they are requested', () => {
    const reports = [CHANGED, DELETED, DENIED, FAILED];
    assert.ok(!planText(reports, PLAIN_DIFF).includes('\u001b['));
    const colored = planText(reports, COLORED_DIFF);
    for (const color of [31, 32, 33]) assert.ok(colored.includes(`\u001b[${color}m`), String(color));
    const codes = new RegExp('\u001b\\[\\d+m', 'g');
    assert.equal(colored.replaceAll(codes, ''), planText(reports, PLAIN_DIFF));
  });

  it('ends with the sum', () => {
    assert.ok(planText([WELL], PLAIN_DIFF).endsWith(`  no changes\n\n${summary([WELL])}\n`));
    assert.equal(planText([], PLAIN_DIFF), '0 Services: 0 to create, 0 to change, 0 to delete; 0 denied\n');
  });
});

describe('the sum of a plan', () => {
  const sums: Readonly<Record<string, readonly [reports: readonly ServicePlanReport[], sum: string, code: number]>> = {
    'counts resources by operation, and exits with 0': [
      [CHANGED, WELL],
      '2 Services: 1 to create, 2 to change, 1 to delete; 0 denied, 1 blocked change',
      0,
    ],
    'counts a denied Service, and exits with 1': [
      [DENIED],
      '1 Service: 0 to create, 0 to change, 0 to delete; 1 denied',
      1,
    ],
    'counts a failed Service, and exits with 1': [
      [FAILED, WELL],
      '2 Services: 0 to create, 0 to change, 0 to delete; 0 denied, 1 failed',
      1,
    ],
    'counts a lost address': [
      [DELETED],
      '1 Service: 0 to create, 0 to change, 1 to delete; 0 denied, 1 address lost',
      0,
    ],
  };
  for (const [title, [reports, sum, code]] of Object.entries(sums))
    it(title, () => assert.deepEqual([summary(reports), exitCodeOf(reports)], [sum, code]));
});

describe('a plan as data', () => {
  const schema = z.fromJSONSchema(
    JSON.parse(readFileSync(join(root, 'docs/reference/plan.schema.json'), 'utf8')) as Parameters<
      typeof z.fromJSONSchema
    >[0],
  );
  const written = (...reports: readonly ServicePlanReport[]): unknown =>
    JSON.parse(JSON.stringify(planJson(reports))) as unknown;

  const created = reported(
    'new',
    [
      { kind: 'create-load-balancer', attributes: { name: 'a1' }, tags: {} },
      { kind: 'create-listener', listener: aListener(80) },
    ],
    { assumedPorts: [30_000] },
  );
  const REPORTS = {
    'a changed Service': CHANGED,
    'a deleted Service': DELETED,
    'a Service without changes': WELL,
    'a denied Service': DENIED,
    'a failed plan': FAILED,
    'a new Service': created,
  };
  for (const [what, report] of Object.entries(REPORTS))
    it(`follows the published schema for ${what}`, () => {
      const output = written(report);
      assert.deepEqual(schema.parse(output), output);
    });

  it('is rejected by the schema if a field is unknown or missing', () => {
    const output = written(WELL) as { services: object[] };
    assert.throws(() => schema.parse({ ...output, more: 1 }));
    assert.throws(() => schema.parse({ services: output.services }));
    assert.throws(() => schema.parse({ ...output, services: [{ ...output.services[0], more: 1 }] }));
  });

  it('lists the changes, and each cloud call with its fields and a description', () => {
    const [first] = planJson([CHANGED]).services;
    assert.ok(first !== undefined && 'changes' in first);
    assert.deepEqual(first.loadBalancers, [{ id: 'lb-own', address: '47.0.0.1' }]);
    assert.deepEqual(first.changes[1], {
      operation: 'change',
      resource: 'listener',
      name: '80/tcp',
      loadBalancer: 'lb-own',
      fields: [{ field: 'scheduler', old: 'rr', new: 'wrr' }],
    });
    assert.deepEqual(first.actions[2], {
      kind: 'tag',
      tags: { team: 'shop' },
      text: 'tag the load balancer: team=shop',
    });
    assert.deepEqual(first.blocked, [
      {
        rule: 'PortUnavailable',
        reason: 'the port is used',
        action: { kind: 'untag', keys: ['a'], text: 'remove tags from the load balancer: a' },
      },
      { rule: 'PortUnavailable', reason: 'the port is used' },
    ]);
  });

  it('has the reason of a failed plan, and the id of the request', () => {
    assert.deepEqual(planJson([FAILED]).services, [
      {
        service: 'shop/far',
        failure: { reason: 'Forbidden', message: 'permission slb:X is missing', requestId: 'R-1' },
      },
    ]);
  });

  it('has the sum', () => {
    assert.deepEqual(planJson([CHANGED, DENIED, FAILED, DELETED]).summary, {
      services: 4,
      create: 1,
      change: 2,
      delete: 2,
      denied: 1,
      failed: 1,
      blocked: 1,
      lostAddresses: 1,
    });
  });
});
