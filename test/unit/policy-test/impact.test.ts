import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { answer, fakeApiServer, status } from '../../support/http-api-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { kubeconfigOf, listOf } from '../../support/kubeconfig-of.ts';
import { anException, aPolicy } from '../../support/policy.ts';
import { aTerminal } from '../../support/terminal.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const service = (
  name: string,
  namespace = 'shop',
  annotations: Readonly<Record<string, string>> = {},
  day = 1,
): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name,
    namespace,
    annotations,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: `2026-01-0${day}T00:00:00Z`,
  },
  spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
});
const namespace = (name: string, labels: object): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});
const INVENTORY = '/apis/portcullis.io/v1alpha1';
const INTRANET = { [`${KEY}address-type`]: 'intranet' };
const PRIVATE = { name: 'private', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] };
const INTERNAL = aPolicy('internal', {
  match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
  constraints: [PRIVATE],
});
const SHOP = namespace('shop', { team: 'shop' });
const documents = (...objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');
const listText = (...items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

interface Row {
  readonly rule: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Platform teams decide by this report whether they can enforce a policy. */
describe('portcullis policy impact', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  async function impact(policies: string, services: string, ...flags: readonly string[]) {
    writeFileSync(at('p.yaml'), policies);
    writeFileSync(at('s.yaml'), services);
    const terminal = aTerminal();
    const code = await terminal.run('policy', 'impact', at('p.yaml'), '--services', at('s.yaml'), ...flags);
    return { code, out: terminal.out(), err: terminal.err().replaceAll(`${folder.path}/`, '') };
  }
  async function rowsOf(
    policies: readonly object[],
    services: readonly object[],
  ): Promise<Readonly<Record<string, object>>> {
    const { code, out, err } = await impact(documents(...policies), listText(...services), '-o', 'json');
    const { rows } = JSON.parse(out) as { readonly rows: readonly Row[] };
    assert.equal(code, rows.some(({ counts }) => counts['denied'] !== 0) ? 1 : 0, err);
    return Object.fromEntries(
      rows.map(({ rule, counts }) => [
        rule,
        Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      ]),
    );
  }

  it('warns about a constraint that never applies', async () => {
    const constraint = { ...PRIVATE, when: [{ field: 'port' as const, min: 70_000 }] };
    const { code, err } = await impact(
      documents(aPolicy('internal', { constraints: [constraint] })),
      documents(SHOP, service('web')),
    );
    assert.equal(code, 0);
    assert.match(err, /^warning: LoadBalancerPolicy internal: Conflicted: policy\/internal\/private: never applies: /);
  });

  it('reports by rule and namespace the Services that would be denied', async () => {
    const services = [
      SHOP,
      service('api'),
      service('web'),
      service('inner', 'shop', INTRANET),
      service('pay', 'bank'),
      namespace('bank', {}),
    ];
    const { code, out } = await impact(documents(INTERNAL), documents(...services));
    assert.equal(code, 1);
    assert.equal(
      out.replaceAll(/ {2}metadata\S+ not set/g, ''),
      `policy/internal/private
  2 Services would be denied
    shop: 2
      api
      web

Of 4 Services in 2 namespaces, 2 would be denied if created now, 0 get a warning, 0 get defaults.
Stored Services stay: if a Service with a violation changes, the violation only warns.
`,
    );
  });

  const tables: Readonly<
    Record<string, readonly [policies: readonly object[], rows: Readonly<Record<string, object>>]>
  > = {
    'warnings of a policy that warns': [
      [aPolicy('internal', { constraints: [{ ...PRIVATE, mode: 'warn' }] })],
      { 'policy/internal/private': { warned: 2 } },
    ],
    'violations that an exception allows': [
      [INTERNAL, anException('web', { rule: 'policy/internal/private', expires: '2999-01-01T00:00:00Z' })],
      { 'policy/internal/private': { denied: 1, warned: 1 } },
    ],
    'defaults, with which Services are evaluated': [
      [aPolicy('given', { constraints: [PRIVATE], defaults: [{ annotation: 'address-type', value: 'intranet' }] })],
      { 'policy/given/private': {}, 'policy/given: default of address-type': { defaulted: 2 } },
    ],
    'violations of tuned built-in rules': [
      [aPolicy('mild', { rules: [{ rule: 'annotation-value', mode: 'warn' }] })],
      { 'annotation-value': { warned: 1 } },
    ],
    'nothing for a policy that all Services meet': [
      [aPolicy('ports', { constraints: [{ name: 'low', require: [{ field: 'port', max: 1_024 }] }] })],
      { 'policy/ports/low': {} },
    ],
    'Services beyond a quota, the oldest first': [
      [aPolicy('few', { quotas: [{ name: 'two', per: 'namespace', loadBalancers: 2 }] })],
      { 'policy/few/two': { denied: 1 } },
    ],
    'violations of a policy that applies only to updates': [
      [aPolicy('internal', { match: { operations: ['UPDATE'] }, constraints: [PRIVATE] })],
      { 'policy/internal/private': { denied: 2 } },
    ],
  };
  for (const [title, [policies, rows]] of Object.entries(tables)) {
    it(`counts ${title}`, async () => {
      const services = [
        SHOP,
        service('old', 'shop', INTRANET),
        service('web', 'shop', {}, 2),
        service('bad', 'shop', { [`${KEY}bandwidth`]: '9000' }, 3),
      ];
      assert.deepEqual(await rowsOf(policies, services), rows);
    });
  }

  it('counts Services that are denied today towards quotas', async () => {
    const denied = (reason: string, name: string): object => ({
      ...service(name),
      status: { conditions: [{ type: 'LoadBalancerReady', status: 'False', reason, message: '' }] },
    });
    const services = [SHOP, denied('Invalid', 'a'), denied('Policy', 'b'), service('c', 'shop', {}, 2)];
    const few = aPolicy('few', { quotas: [{ name: 'two', per: 'namespace', loadBalancers: 2 }] });
    assert.deepEqual(await rowsOf([few], services), { 'policy/few/two': { denied: 1 } });
  });

  it('lists at most ten Services of a namespace, unless all are requested', async () => {
    const services = Array.from({ length: 12 }, (_, index) => service(`s${index}`));
    const lines = async (...flags: readonly string[]) =>
      (await impact(documents(INTERNAL), listText(SHOP, ...services), ...flags)).out
        .split('\n')
        .filter((line) => /^ {6}/.test(line));
    const few = await lines();
    assert.deepEqual([few.length, few.at(-1)?.trim()], [11, 'and 2 Services more']);
    assert.equal((await lines('--all')).length, 12);
  });

  it('reports the number of namespaces with unknown labels', async () => {
    const { out } = await impact(documents(INTERNAL), listText(service('web')));
    assert.match(out, /1 Service would get a warning\n[^]*The labels of 1 namespace are unknown/);
  });

  describe('with a cluster', () => {
    const exempt = anException('web', { rule: 'policy/internal/private', expires: '2999-01-01T00:00:00Z' });
    const rows: Readonly<
      Record<string, readonly [file: object, stored: readonly [policy: object, ...exceptions: object[]], out: RegExp]>
    > = {
      'replaces the policy of the same name, and respects the stored exceptions': [
        INTERNAL,
        [aPolicy('internal', { constraints: [{ ...PRIVATE, mode: 'audit' }] }), exempt],
        /1 Service would be denied[^]* api [^]*1 Service would get a warning[^]* web /,
      ],
      'reports the effect of an exception to the policy in force': [
        exempt,
        [INTERNAL],
        /1 Service would be denied[^]* api [^]*1 Service would get a warning[^]* web /,
      ],
    };
    for (const [title, [file, [policy, ...exceptions], out]] of Object.entries(rows)) {
      it(`${title}, and writes nothing`, async () => {
        const answers: Readonly<Record<string, object>> = {
          '/apis/portcullis.io/v1alpha1/loadbalancerpolicies': listOf(policy),
          '/apis/portcullis.io/v1alpha1/loadbalancerexceptions': listOf(...exceptions),
          '/api/v1/namespaces': listOf(SHOP),
          '/api/v1/services': listOf(service('web'), service('api')),
        };
        await using server = await fakeApiServer(({ path }, response) => {
          const body = answers[path];
          answer(response, body === undefined ? 404 : 200, body ?? status(404, `${path} not found`, 'NotFound'));
        });
        writeFileSync(at('p.yaml'), documents(file));
        writeFileSync(at('config'), kubeconfigOf(server.url));
        const terminal = aTerminal();
        const code = await terminal.run('policy', 'impact', at('p.yaml'), '--kubeconfig', at('config'));
        assert.equal(code, 1, terminal.err());
        assert.match(terminal.out(), out);
        assert.ok(server.seen.every(({ method }) => method === 'GET'));
      });
    }
  });

  it('evaluates a Service like a new Service, without its load balancer', async () => {
    const served = (name: string, annotations: Readonly<Record<string, string>>): object => ({
      ...service(name, 'shop', annotations),
      metadata: {
        ...(service(name, 'shop', annotations) as { readonly metadata: object }).metadata,
        finalizers: ['service.k8s.alibaba/resources'],
      },
      status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } },
    });
    const clb = aClb('lb-1', { owner: 'this-cluster', service: 'shop/web', address: '47.0.0.1' });
    const answers: Readonly<Record<string, object>> = {
      [`${INVENTORY}/loadbalancerpolicies`]: listOf(),
      [`${INVENTORY}/loadbalancerexceptions`]: listOf(),
      [`${INVENTORY}/classicloadbalancers`]: listOf(clb),
      [`${INVENTORY}/cloudinventories`]: listOf(aCloudInventory({ observedAt: new Date().toISOString() })),
      '/api/v1/namespaces': listOf(SHOP),
      '/api/v1/services': listOf(served('web', INTRANET)),
    };
    await using server = await fakeApiServer(({ path }, response) => {
      const body = answers[path];
      answer(response, body === undefined ? 404 : 200, body ?? status(404, `${path} not found`, 'NotFound'));
    });
    const none = aPolicy('none', { quotas: [{ name: 'public', per: 'namespace', publicLoadBalancers: 0 }] });
    writeFileSync(at('p.yaml'), documents(INTERNAL, none));
    writeFileSync(at('config'), kubeconfigOf(server.url));
    const terminal = aTerminal();
    const code = await terminal.run('policy', 'impact', at('p.yaml'), '--kubeconfig', at('config'));
    assert.equal(code, 0, terminal.out());
    assert.match(terminal.out(), /^policy\/internal\/private\n {2}nothing\npolicy\/none\/public\n {2}nothing\n/);
  });

  const misuse: Readonly<Record<string, readonly [policies: string, services: string, message: RegExp]>> = {
    'a file without policies': [listText(SHOP), listText(service('web')), /p\.yaml: no LoadBalancerPolicy or/],
    'a file without Services': [
      documents(INTERNAL),
      listText(SHOP),
      /s\.yaml contains no Service: create the file with kubectl get/,
    ],
    'Services that are not YAML': [documents(INTERNAL), 'a: [', /s\.yaml:1:5: /],
  };
  for (const [title, [policies, services, message]] of Object.entries(misuse)) {
    it(`answers ${title} with exit code 2`, async () => {
      const { code, out, err } = await impact(policies, services);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, message);
    });
  }
});
