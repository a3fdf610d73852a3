import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import type { LoadBalancerExceptionSpec, LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { patient } from '../../support/webhook-rollouts.ts';
import { answered } from '../../support/eventually.ts';
import { makeOwner } from '../../support/namespace-owner.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const API = 'portcullis.io/v1alpha1';

interface ServiceInput {
  readonly namespace?: string;
  readonly type?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ports?: readonly number[];
}

const service = (
  name: string,
  { namespace = 'shop', type = 'LoadBalancer', annotations = {}, ports = [80] }: ServiceInput = {},
): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations },
    spec: {
      type,
      selector: { app: 'web' },
      ports: ports.map((port) => ({ name: `p${port}`, port, targetPort: 8080 })),
    },
  });

const policy = (name: string, spec: LoadBalancerPolicySpec): string =>
  stringify({ apiVersion: API, kind: 'LoadBalancerPolicy', metadata: { name }, spec });

const SHOP = { namespaceSelector: { matchLabels: { team: 'shop' } } };
const NO_SSH = { name: 'no-ssh', message: 'use the bastion', require: [{ field: 'port' as const, noneOf: ['22'] }] };

/** Covers policies in a cluster: modes, scope, defaults, quotas and the rights of namespace owners. */
describe('policies in effect', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let webhook: WebhookProcess;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.inventory();
    for (const [namespace, team] of [
      ['shop', 'shop'],
      ['bank', 'bank'],
    ] as const) {
      await cluster.plane.kubectl('create', 'namespace', namespace);
      await cluster.plane.kubectl('label', 'namespace', namespace, `team=${team}`);
    }
    webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register({ change: patient });
  });
  after(() => resources.disposeAsync());

  const kubectl = (input: string, ...args: string[]) => cluster.plane.kubectlWith(input, ...args);
  const put = async (text: string): Promise<void> => {
    const { code, stderr } = await kubectl(text, 'apply', '--validate=strict', '-f', '-');
    assert.equal(code, 0, stderr);
  };
  /** Applies a Service. Returns the outcome and all other output of kubectl, in one line. */
  const outcomeOf = async (text: string, ...flags: string[]): Promise<string> => {
    const { code, stderr } = await kubectl(text, 'apply', '--dry-run=server', ...flags, '-f', '-');
    return `${code === 0 ? 'passed' : 'denied'}: ${stderr.replaceAll(/\s+/g, ' ')}`.trim();
  };
  const until = async (pattern: RegExp, text: string, ...flags: string[]): Promise<string> => {
    let last = '';
    const matches = async (): Promise<true | undefined> => {
      last = await outcomeOf(text, ...flags);
      return pattern.test(last) || undefined;
    };
    await answered(matches, `an answer like ${pattern.source}`);
    return last;
  };

  const SSH = service('ssh', { ports: [22] });

  it('warn, then deny, allow an exception until its date, and deny again', async () => {
    assert.equal(await outcomeOf(SSH), 'passed:');
    await put(policy('ports', { match: SHOP, constraints: [{ ...NO_SSH, mode: 'warn' }] }));
    const warning = await until(/^passed: Warning/, SSH);
    assert.match(
      warning,
      /Service shop\/ssh: spec\.ports\[0\]\.port: Invalid value: 22: must not be 22; use the bastion \[policy\/ports\/no-ssh\]/,
    );
    await put(policy('ports', { match: SHOP, constraints: [{ ...NO_SSH, enforceAfter: '2100-01-01T00:00:00Z' }] }));
    await until(/^passed: Warning.*denied from 2100-01-01T00:00:00Z on/, SSH);
    await put(policy('ports', { match: SHOP, constraints: [NO_SSH] }));
    const denial = await until(/^denied/, SSH);
    assert.match(denial, /The Service "ssh" is invalid: spec\.ports\[0\]\.port: Invalid value: 22: /);
    const exception: LoadBalancerExceptionSpec = {
      rule: 'policy/ports/no-ssh',
      object: { namespace: 'shop', name: 'ssh' },
      owner: 'team-shop',
      reason: 'the bastion is being moved',
      expires: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const lbx = (spec: object): string =>
      stringify({ apiVersion: API, kind: 'LoadBalancerException', metadata: { name: 'ssh' }, spec });
    await put(lbx(exception));
    await until(/^passed: Warning.*LoadBalancerException ssh of team-shop allows the violation until/, SSH);
    assert.match(await outcomeOf(service('ssh-2', { ports: [22] })), /^denied/);
    await put(lbx({ ...exception, expires: new Date(Date.now() - 1_000).toISOString() }));
    await until(/^denied/, SSH);
  });

  it('apply to the namespaces that they select by current labels', async () => {
    const inOtherNamespace = service('ssh', { ports: [22], namespace: 'bank' });
    assert.equal(await outcomeOf(inOtherNamespace), 'passed:');
    await cluster.plane.kubectl('label', 'namespace', 'bank', 'team=shop', '--overwrite');
    await until(/^denied/, inOtherNamespace);
    await cluster.plane.kubectl('label', 'namespace', 'bank', 'team=bank', '--overwrite');
    await until(/^passed:$/, inOtherNamespace);
  });

  it('tune built-in rules', async () => {
    const faulty = service('faulty', { annotations: { [`${KEY}bandwidth`]: '9000' } });
    assert.match(await outcomeOf(faulty), /^denied/);
    await put(policy('mild', { match: SHOP, rules: [{ rule: 'annotation-value', mode: 'warn' }] }));
    await until(/^passed: Warning.*bandwidth\]: Invalid value: "9000": /, faulty);
    assert.match(
      await outcomeOf(service('faulty', { namespace: 'bank', annotations: { [`${KEY}bandwidth`]: '9000' } })),
      /^denied/,
    );
  });

  it('count stored Services for quotas', async () => {
    await put(policy('few', { match: SHOP, quotas: [{ name: 'few', per: 'namespace', loadBalancers: 1 }] }));
    const first = service('first');
    await put(first);
    await until(/^denied: .*Forbidden: 2 load balancers requested, the limit is 1 in the namespace/, service('second'));
    assert.equal(await outcomeOf(first), 'passed:');
    assert.equal(await outcomeOf(service('second', { namespace: 'bank' })), 'passed:');
    await cluster.plane.kubectl('delete', 'service', '-n', 'shop', 'first');
    await until(/^passed:$/, service('second'));
    await cluster.plane.kubectl('delete', 'lbp', 'few');
  });

  it('set defaults of new Services, which remain after every kind of apply', async () => {
    const defaults = [
      { annotation: 'address-type', value: 'intranet' },
      { annotation: 'name', value: '${cluster}-${namespace}-${name}' },
    ];
    await put(policy('defaults', { match: SHOP, defaults }));
    await until(
      /^passed: Warning.*address-type\]: LoadBalancerPolicy defaults sets the default "intranet"/,
      service('any'),
    );
    interface Stored {
      readonly metadata: { readonly resourceVersion: string; readonly annotations: Readonly<Record<string, string>> };
    }
    const stored = async (name: string): Promise<Stored> =>
      JSON.parse(await cluster.plane.kubectl('get', 'service', '-n', 'shop', name, '-o', 'json')) as Stored;
    for (const [name, flags] of [
      ['by-client', []],
      ['by-server', ['--server-side']],
    ] as const) {
      const text = service(name, { annotations: { [`${KEY}name`]: 'mine' } });
      const apply = async (): Promise<Stored> => {
        const { code, stderr } = await kubectl(text, 'apply', ...flags, '-f', '-');
        assert.equal(code, 0, stderr);
        return stored(name);
      };
      const created = await apply();
      assert.equal(created.metadata.annotations[`${KEY}address-type`], 'intranet');
      assert.equal(created.metadata.annotations[`${KEY}name`], 'mine');
      assert.equal((await apply()).metadata.resourceVersion, created.metadata.resourceVersion);
    }
    await put(service('unnamed'));
    const { annotations } = (await stored('unnamed')).metadata;
    assert.match(annotations[`${KEY}name`] ?? '', /^[a-z0-9]+-shop-unnamed$/);
    await put(service('inner', { type: 'ClusterIP' }));
    assert.equal((await stored('inner')).metadata.annotations[`${KEY}address-type`], undefined);
    await cluster.plane.kubectl('patch', 'service', '-n', 'shop', 'inner', '-p', '{"spec":{"type":"LoadBalancer"}}');
    assert.equal((await stored('inner')).metadata.annotations[`${KEY}address-type`], 'intranet');
    const whole = service('whole');
    assert.equal((await kubectl(whole, 'create', '-f', '-')).code, 0);
    const defaulted = await stored('whole');
    const { stderr } = await kubectl(whole, 'replace', '-f', '-');
    assert.match(stderr, /address-type\]: keeps "intranet", the default of LoadBalancerPolicy defaults; /);
    const { annotations: left, resourceVersion } = (await stored('whole')).metadata;
    assert.deepEqual([left, resourceVersion], [defaulted.metadata.annotations, defaulted.metadata.resourceVersion]);
    const bare = JSON.stringify({ ...defaulted, metadata: { ...defaulted.metadata, annotations: {} } });
    const none = '[{"op":"remove","path":"/metadata/annotations"}]';
    for (const [input, ...args] of [
      [bare, 'replace', '--field-manager=my-operator', '-f', '-'],
      ['', 'patch', 'service', 'whole', '-n', 'shop', '--field-manager=Terraform', '--type=json', '-p', none],
    ] as const) {
      assert.match((await kubectl(input, ...args)).stderr, /address-type\]: keeps "intranet", /);
      assert.deepEqual((await stored('whole')).metadata, defaulted.metadata, 'nothing is written by it');
    }
    await cluster.plane.kubectl('annotate', 'service', '-n', 'shop', 'whole', `${KEY}name-`);
    await kubectl(whole, 'replace', '-f', '-');
    assert.deepEqual((await stored('whole')).metadata.annotations, { [`${KEY}address-type`]: 'intranet' });
    const own = service('own', { annotations: { [`${KEY}name`]: 'mine' } });
    assert.equal((await kubectl(own, 'create', '-f', '-')).code, 0);
    await kubectl(service('own'), 'replace', '-f', '-');
    assert.deepEqual((await stored('own')).metadata.annotations, { [`${KEY}address-type`]: 'intranet' });
    await cluster.plane.kubectl('delete', 'lbp', 'defaults');
    await cluster.plane.kubectl('delete', 'services', '-n', 'shop', '--all');
  });

  it('have no names in metrics, and the log of a denial names policy and constraint', async () => {
    await put(policy('quiet', { constraints: [{ ...NO_SSH, name: 'noted', mode: 'audit' }] }));
    const { text } = await webhook.probe('/metrics');
    assert.match(
      text,
      /portcullis_webhook_findings_total\{rule="policy",enforcement_action="deny",operation="CREATE"\} \d/,
    );
    assert.match(text, /portcullis_webhook_policies\{state="valid"\} \d/);
    assert.doesNotMatch(text, /no-ssh|team-shop/);
    assert.match(webhook.output(), /"rules":\["policy\/ports\/no-ssh"\]/);
  });

  it('are read by a restarted webhook before it is ready', async () => {
    await using other = await startWebhook(cluster.flags);
    await other.ready();
    cluster.route(other.port);
    assert.match(await outcomeOf(SSH), /^denied/);
    cluster.route(webhook.port);
  });

  it('can be neither read nor changed by owners of a namespace', async () => {
    await makeOwner(cluster.plane, 'owner', 'shop');
    assert.equal((await kubectl('', 'get', 'services', '-n', 'shop', '--as=owner')).code, 0);
    for (const args of [
      ['get', 'lbp'],
      ['get', 'lbx', 'ssh', '-o', 'yaml'],
      ['delete', 'lbp', 'ports'],
    ]) {
      const { code, stderr } = await kubectl('', ...args, '--as=owner');
      assert.equal(code, 1);
      assert.match(stderr, /forbidden/);
    }
    const { code, stderr } = await kubectl(SSH, 'create', '--as=owner', '-f', '-');
    assert.equal(code, 1);
    assert.doesNotMatch(stderr, /bank/);
  });

  it('reveal nothing about other namespaces to owners of a namespace', async () => {
    const shared = { [`${KEY}id`]: 'lb-shared', [`${KEY}force-override-listeners`]: 'true' };
    await cluster.publishInventory('lb-shared', { owner: 'user' });
    const theirs = service('vault', { namespace: 'bank', annotations: shared });
    await until(/^passed:/, theirs);
    await put(theirs);
    const teams = { key: 'team', operator: 'In' as const, values: ['shop', 'bank'] };
    const match = { namespaceSelector: { matchExpressions: [teams] } };
    await put(policy('together', { match, quotas: [{ name: 'few', per: 'policy', listeners: 1 }] }));
    const reported = [
      await until(/^denied: .*the limit is 1 in all namespaces/, service('second'), '--as=owner'),
      await until(
        /^denied: .*another Service of this cluster/,
        service('second', { annotations: shared }),
        '--as=owner',
      ),
    ];
    for (const text of reported) assert.doesNotMatch(text, /bank|vault/);
    for (const kind of ['clb', 'cloudinventory', 'services', 'events']) {
      const { code, stdout, stderr } = await kubectl('', 'get', kind, '-n', 'bank', '--as=owner');
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /forbidden/);
    }
    await cluster.plane.kubectl('delete', 'lbp', 'together');
    await cluster.plane.kubectl('delete', 'service', '-n', 'bank', 'vault');
  });

  it('have no effect while their custom resource definitions are missing', async () => {
    await cluster.plane.kubectl(
      'delete',
      'crd',
      'loadbalancerpolicies.portcullis.io',
      'loadbalancerexceptions.portcullis.io',
    );
    await until(/^passed:$/, SSH);
    await cluster.install();
    await put(policy('ports', { match: SHOP, constraints: [NO_SSH] }));
    await until(/^denied/, SSH);
  });
});
