import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { LoadBalancerExceptionSpec } from '../../src/policy/custom-resources.ts';
import { borrowControlPlane } from '../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/manifests.ts';
import { isAllowed, makeOwner, VERBS } from '../support/namespace-owner.ts';
import { anException } from '../support/policy.ts';

const CONDITION = { annotation: 'address-type', oneOf: ['intranet'] };
const constraint = (more: object): object => ({ constraints: [{ name: 'c', require: [CONDITION], ...more }] });
const requiring = (condition: object): object => constraint({ require: [condition] });

/** The API server validates policies by their definitions, so wrong policies must be rejected with a clear message. */
describe('policies and exceptions', function () {
  this.timeout(120_000);
  let plane: TestControlPlane;
  let started: TestControlPlane | undefined;

  before(async () => {
    started = await borrowControlPlane();
    plane = started;
    for (const file of globSync('manifests/crds/load-balancer-*.yaml', { cwd: root })) {
      await plane.kubectl('apply', '--validate=strict', '-f', join(root, file));
    }
    await eventually(async () => {
      assert.equal((await plane.kubectlWith('', 'get', 'lbp,lbx')).code, 0);
    });
  });
  after(() => started?.[Symbol.asyncDispose]());

  /** Returns the error of a server-side `kubectl apply` of an object, or an empty string. */
  const denialOf = async (object: object, ...flags: string[]): Promise<string> => {
    const { code, stderr } = await plane.kubectlWith(
      JSON.stringify(object),
      'apply',
      '--server-side',
      '--force-conflicts',
      '--validate=strict',
      ...flags,
      '-f',
      '-',
    );
    return code === 0 ? '' : stderr;
  };
  const policy = (spec: object, name = 'p'): object => ({
    apiVersion: 'portcullis.io/v1alpha1',
    kind: 'LoadBalancerPolicy',
    metadata: { name },
    spec,
  });
  const denied = (object: object): Promise<string> => denialOf(object, '--dry-run=server');

  const bad: Record<string, readonly [spec: object, message: RegExp]> = {
    'that is empty': [{}, /a policy must have at least one of/],
    'that tunes an unknown rule': [{ rules: [{ rule: 'target-prot' }] }, /Unsupported value: "target-prot"/],
    'that tunes a safety rule': [
      { rules: [{ rule: 'protected-load-balancer', mode: 'warn' }] },
      /Unsupported value: "protected-load-balancer"/,
    ],
    'that names an unknown annotation': [requiring({ annotation: 'adress-type', present: true }), /Unsupported value/],
    'with an unknown field': [requiring({ ...CONDITION, out: ['internet'] }), /unknown field|field not declared/],
    'with an unknown mode': [constraint({ mode: 'deny' }), /Unsupported value: "deny"/],
    'with an invalid date': [constraint({ enforceAfter: 'tomorrow' }), /must be of type date-time|date-time/],
    'that only warns and enforces later': [
      constraint({ mode: 'warn', enforceAfter: '2026-12-01T00:00:00Z' }),
      /enforceAfter requires the mode enforce/,
    ],
    'with a condition on two keys': [requiring({ annotation: 'spec', tag: 'team', present: true }), /exactly one of/],
    'with a condition without a key': [requiring({ present: true }), /exactly one of/],
    'with a condition without a requirement': [requiring({ tag: 'team' }), /a condition must have at least one of/],
    'with a condition that no value satisfies': [
      requiring({ annotation: 'spec', present: false, oneOf: ['slb.s1.small'] }),
      /a condition with present: false must not have/,
    ],
    'with an empty range': [
      requiring({ annotation: 'bandwidth', min: 10, max: 5 }),
      /min must not be greater than max/,
    ],
    'with a range of strings': [requiring({ annotation: 'spec', max: 5 }), /min and max require a number/],
    'with two constraints of one name': [
      { constraints: [1, 2].map((max) => ({ name: 'c', require: [{ annotation: 'bandwidth', max }] })) },
      /duplicate/i,
    ],
    'with a quota and a constraint of one name': [
      { ...constraint({}), quotas: [{ name: 'c', per: 'namespace', listeners: 5 }] },
      /must not have the same name/,
    ],
    'with a quota that selects Services by labels': [
      {
        match: { serviceSelector: { matchLabels: { app: 'web' } } },
        quotas: [{ name: 'q', per: 'namespace', listeners: 5 }],
      },
      /must not have a serviceSelector/,
    ],
    'with a quota that limits nothing': [{ quotas: [{ name: 'q' }] }, /a quota must have at least one of/],
    'with a selector that has values for Exists': [
      {
        ...constraint({}),
        match: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      },
      /In and NotIn require values/,
    ],
  };
  for (const [what, [spec, message]] of Object.entries(bad)) {
    it(`reject a policy ${what}`, async () => {
      assert.match(await denied(policy(spec)), message);
    });
  }

  it('accept a policy with all fields, and set defaults', async () => {
    const enforcement = { mode: 'enforce', enforceAfter: '2026-12-01T00:00:00Z' };
    const spec = {
      match: {
        namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['shop'] }] },
        operations: ['CREATE'],
      },
      rules: [{ rule: 'target-port', mode: 'warn' }],
      constraints: [
        { name: 'c', message: 'ask the network team', ...enforcement, when: [CONDITION], require: [CONDITION] },
        { name: 'd', require: [{ field: 'port', min: 80, max: 443 }] },
      ],
      defaults: [{ annotation: 'name', value: '${cluster}-${namespace}-${name}' }],
      quotas: [{ name: 'q', listeners: 5 }],
    };
    assert.equal(await denialOf(policy(spec, 'whole')), '');
    const kept = (await plane.client.get('/apis/portcullis.io/v1alpha1/loadbalancerpolicies/whole')) as {
      readonly spec: object;
    };
    assert.deepEqual(kept.spec, { ...spec, quotas: [{ name: 'q', listeners: 5, per: 'namespace' }] });
  });

  const exception = (fields: Partial<LoadBalancerExceptionSpec>, name = 'e'): object => {
    const { spec, apiVersion, kind } = anException(name, { rule: 'target-port', ...fields });
    return { apiVersion, kind, metadata: { name }, spec };
  };
  const wide: Record<string, readonly [fields: Partial<LoadBalancerExceptionSpec>, message: RegExp]> = {
    'from a safety rule': [{ rule: 'protected-load-balancer' }, /or one of the rules that allow exceptions/],
    'from an unknown rule': [{ rule: 'policy/p' }, /or one of the rules that allow exceptions/],
    'for one object and a selection': [
      {
        object: { namespace: 'shop', name: 'web' },
        selector: { namespaceSelector: { matchLabels: { team: 'shop' } } },
      },
      /exactly one of object and selector/,
    ],
    'for everything': [{ selector: { namespaceSelector: {} } }, /namespaceSelector must have a label or an expression/],
    'for Services by their labels only': [
      { selector: { serviceSelector: { matchLabels: { app: 'web' } } } },
      /namespaceSelector must have a label or an expression/,
    ],
    'without an end': [{ expires: 'never' }, /date-time/],
    'without an owner': [{ owner: '' }, /owner/],
  };
  for (const [what, [fields, message]] of Object.entries(wide)) {
    it(`reject an exception ${what}`, async () => {
      assert.match(await denied(exception(fields)), message);
    });
  }

  const recipes = globSync('manifests/policies/*.yaml', { cwd: root }).sort();
  for (const file of [...recipes, 'manifests/samples/policy.yaml', 'manifests/samples/exception.yaml']) {
    it(`are applied from ${file}`, async () => {
      await plane.kubectl('apply', '--validate=strict', '-f', join(root, file));
    });
  }

  it('are applied from the folder of the cookbook, without the tests in its subfolder', async () => {
    const applied = await plane.kubectl('apply', '--validate=strict', '-f', join(root, 'manifests/policies'));
    assert.equal(applied.trim().split('\n').length, recipes.length);
    const test = join(root, 'manifests/policies/tests/tags.yaml');
    const { code, stderr } = await plane.kubectlWith('', 'apply', '-f', test);
    assert.equal(code, 1);
    assert.match(stderr, /no matches for kind "PolicyTest"/);
  });

  it('allow an earlier end of an exception, and no extension', async () => {
    assert.equal(await denialOf(exception({}, 'kept')), '');
    assert.equal(await denialOf(exception({ expires: '2026-12-01T00:00:00Z' }, 'kept')), '');
    assert.match(
      await denialOf(exception({ expires: '2026-12-02T00:00:00Z' }, 'kept')),
      /the date cannot be moved later/,
    );
    const other = { expires: '2026-12-01T00:00:00Z', object: { namespace: 'shop', name: 'api' } };
    assert.match(await denialOf(exception(other, 'kept')), /rule, object and selector are immutable/);
  });

  it('accept updates of an exception that was stored before the definition rejected its selector', async () => {
    const file = join(root, 'manifests/crds/load-balancer-exceptions.yaml');
    const today = parse(readFileSync(file, 'utf8')) as object;
    const byLabels = { selector: { serviceSelector: { matchLabels: { app: 'web' } } } };
    const stored = exception(byLabels, 'old');
    const before = JSON.parse(JSON.stringify(today), (key, value: unknown) =>
      key === 'selector' && typeof value === 'object'
        ? { ...value, 'x-kubernetes-validations': [{ rule: 'true' }] }
        : value,
    ) as object;
    assert.equal(await denialOf(before), '');
    await eventually(async () => assert.equal(await denialOf(stored), ''));
    assert.equal(await denialOf(today), '');
    await eventually(async () =>
      assert.match(await denied(exception(byLabels)), /namespaceSelector must have a label or an expression/),
    );
    const conditions = [
      {
        ...{ type: 'Active', status: 'False', reason: 'Unusable', message: 'no namespaces' },
        ...{ observedGeneration: 1, lastTransitionTime: '2026-11-01T00:00:00Z' },
      },
    ];
    const status = JSON.stringify({ status: { observedGeneration: 1, conditions } });
    await plane.kubectl('patch', 'lbx', 'old', '--subresource=status', '--type=merge', '--patch', status);
    const sooner = JSON.stringify({ spec: { expires: '2026-11-15T00:00:00Z' } });
    await plane.kubectl('patch', 'lbx', 'old', '--type=merge', '--patch', sooner);
  });

  it('have readable columns in kubectl get', async () => {
    const head = async (kind: string): Promise<string[]> =>
      (await plane.kubectl('get', kind)).split('\n', 1)[0]?.split(/\s+/) ?? [];
    assert.equal(await denialOf(policy({ rules: [{ rule: 'target-port', mode: 'warn' }] }, 'shown')), '');
    assert.equal(await denialOf(exception({}, 'shown')), '');
    assert.deepEqual(await head('lbp'), ['NAME', 'READY', 'MODE', 'NAMESPACES', 'VIOLATIONS', 'AGE']);
    assert.deepEqual(await head('lbx'), ['NAME', 'RULE', 'NAMESPACE', 'OBJECT', 'OWNER', 'EXPIRES', 'ACTIVE', 'AGE']);
  });

  it('can be neither read nor changed by owners of a namespace', async () => {
    await plane.kubectl('create', 'namespace', 'shop');
    await makeOwner(plane, 'tenant', 'shop');
    const services = ['auth', 'can-i', 'create', 'services', '--as=tenant', '-n', 'shop'];
    assert.equal((await plane.kubectlWith('', ...services)).stdout.trim(), 'yes');
    for (const verb of VERBS) {
      for (const resource of ['loadbalancerpolicies', 'loadbalancerexceptions']) {
        const request = { verb, resource, namespace: 'shop' };
        assert.equal(await isAllowed(plane, 'tenant', request), false, `${verb} ${resource}`);
      }
    }
    const { code, stderr } = await plane.kubectlWith(JSON.stringify(exception({})), 'create', '--as=tenant', '-f', '-');
    assert.equal(code, 1);
    assert.match(stderr, /forbidden/i);
  });
});
