import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { answer, fakeApiServer, status } from '../../support/http-api-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { kubeconfigOf, listOf } from '../../support/kubeconfig-of.ts';
import { manifestText } from '../../support/manifest-text.ts';
import { anException, aPolicy } from '../../support/policy.ts';
import { aTerminal } from '../../support/terminal.ts';

const NO_SSH = { name: 'no-ssh', message: 'use the bastion', require: [{ field: 'port' as const, noneOf: ['22'] }] };
const SSH = manifestText({ ports: ['port: 22'] });
const PORTS = aPolicy('ports', { constraints: [NO_SSH] });
const SHOP = { namespaceSelector: { matchLabels: { team: 'shop' } } };
const namespace = (labels: object): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'default', labels },
});
const documents = (...objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');

/** Users check manifests against policies before the deployment. */
describe('portcullis lint --policy', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  async function lint(manifest: string, policies: string, ...flags: readonly string[]) {
    writeFileSync(at('web.yaml'), manifest);
    writeFileSync(at('policies.yaml'), policies);
    const terminal = aTerminal();
    const code = await terminal.run('lint', '--policy', at('policies.yaml'), ...flags, at('web.yaml'));
    const short = (text: string): string => text.replaceAll(`${folder.path}/`, '');
    return { code, out: short(terminal.out()), err: short(terminal.err()) };
  }

  it('reports errors in policies', async () => {
    const contrary = { name: 'c', require: [{ annotation: 'bandwidth', min: 6_000 }] };
    const result = await lint(manifestText(), documents(PORTS, aPolicy('contrary', { constraints: [contrary] })));
    assert.equal(result.code, 0);
    const line =
      'warning: LoadBalancerPolicy contrary: Conflicted: policy/contrary/c: no value of bandwidth meets this constraint\n';
    assert.ok(result.err.startsWith(line), result.err);
  });

  it('reports contradictions between two policies of the same namespace', async () => {
    const asking = (name: string, type: string) =>
      aPolicy(name, { constraints: [{ name: 'c', require: [{ annotation: 'address-type', oneOf: [type] }] }] });
    const policies = documents(namespace({}), asking('inner', 'intranet'), asking('outer', 'internet'));
    const { err } = await lint(manifestText(), policies);
    assert.match(
      err,
      /LoadBalancerPolicy inner: Conflicted: policy\/inner\/c and policy\/outer\/c: no value of address-type meets these constraints/,
    );
    assert.match(err, /LoadBalancerPolicy outer: /);
  });

  it('does not warn about a policy that matches no known namespace', async () => {
    const policy = aPolicy('shop', { match: SHOP, constraints: [NO_SSH] });
    assert.doesNotMatch((await lint(manifestText(), documents(policy, namespace({})))).err, /warning:/);
  });

  const verdicts: Readonly<Record<string, readonly [policies: readonly object[], code: number, out: RegExp]>> = {
    'denies violations of a constraint, with the message of the webhook': [
      [PORTS],
      1,
      /^web\.yaml:\d+:\d+: error: Service default\/web: spec\.ports\[0\]\.port: Invalid value: 22: must not be 22; use the bastion \[policy\/ports\/no-ssh\]\n$/,
    ],
    'reads the items of a typed list without their kind': [
      [
        {
          apiVersion: PORTS.apiVersion,
          kind: 'LoadBalancerPolicyList',
          items: [{ metadata: PORTS.metadata, spec: PORTS.spec }],
        },
      ],
      1,
      /\[policy\/ports\/no-ssh\]\n$/,
    ],
    'warns if the policy warns': [
      [aPolicy('ports', { constraints: [{ ...NO_SSH, mode: 'warn' }] })],
      0,
      /: warning: .*no-ssh\]\n$/,
    ],
    'reports nothing for a constraint in audit mode': [
      [aPolicy('ports', { constraints: [{ ...NO_SSH, mode: 'audit' }] })],
      0,
      /^$/,
    ],
    'reports the date from which the policy denies': [
      [aPolicy('ports', { constraints: [{ ...NO_SSH, enforceAfter: '2999-01-01T00:00:00Z' }] })],
      0,
      /: warning: .*denied from 2999-01-01T00:00:00Z on/,
    ],
    'only warns about a violation that an exception allows': [
      [
        PORTS,
        anException('ssh', {
          rule: 'policy/ports/no-ssh',
          object: { namespace: 'default', name: 'web' },
          expires: '2999-01-01T00:00:00Z',
        }),
      ],
      0,
      /: warning: .*LoadBalancerException ssh of team-shop allows the violation until/,
    ],
    'denies if the known labels of the namespace match': [
      [aPolicy('ports', { match: SHOP, constraints: [NO_SSH] }), namespace({ team: 'shop' })],
      1,
      /: error: /,
    ],
    'ignores a policy for other namespaces': [
      [aPolicy('ports', { match: SHOP, constraints: [NO_SSH] }), namespace({ team: 'bank' })],
      0,
      /^$/,
    ],
    'warns as long as the labels of the namespace are unknown': [
      [aPolicy('ports', { match: SHOP, constraints: [NO_SSH] })],
      0,
      /: warning: .*the labels of the namespace are not known yet/,
    ],
    'notes the defaults of a Service': [
      [aPolicy('given', { defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] })],
      0,
      /: note: Service default\/web: metadata\.annotations\[.*-spec\]: LoadBalancerPolicy given sets the default "slb\.s1\.small"\n$/,
    ],
    'evaluates a Service with its defaults': [
      [
        aPolicy('given', {
          defaults: [{ annotation: 'spec', value: 'slb.s1.small' }],
          constraints: [{ name: 'small', require: [{ annotation: 'spec', noneOf: ['slb.s1.small'] }] }],
        }),
      ],
      1,
      /: error: .*\[policy\/given\/small\]/,
    ],
  };
  for (const [title, [policies, code, out]] of Object.entries(verdicts)) {
    it(title, async () => {
      const done = await lint(SSH, documents(...policies));
      assert.match(done.out, out);
      assert.equal(done.code, code, done.err);
    });
  }

  it('adds defaults if a ClusterIP Service becomes a load balancer, unless it has the finalizer', async () => {
    const policies = documents(aPolicy('given', { defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] }));
    const noted: Readonly<Record<string, RegExp>> = {
      ClusterIP: /: note: .*LoadBalancerPolicy given/,
      LoadBalancer: /^$/,
    };
    for (const [type, out] of Object.entries(noted)) {
      writeFileSync(at('stored.yaml'), SSH.replace('type: LoadBalancer', `type: ${type}`));
      assert.match((await lint(SSH, policies, '--against', at('stored.yaml'))).out, out);
    }
    const managed = SSH.replace('metadata:', 'metadata:\n  finalizers: [service.k8s.alibaba/resources]');
    writeFileSync(at('stored.yaml'), managed.replace('type: LoadBalancer', 'type: ClusterIP'));
    assert.doesNotMatch((await lint(SSH, policies, '--against', at('stored.yaml'))).out, /LoadBalancerPolicy given/);
  });

  it('counts earlier and stored Services against a quota', async () => {
    const quota = documents(aPolicy('few', { quotas: [{ name: 'few', per: 'namespace', loadBalancers: 2 }] }));
    const three = ['a', 'b', 'c'].map((name) => manifestText({ name })).join('---\n');
    const { code, out } = await lint(three, quota);
    assert.equal(code, 1);
    assert.match(
      out,
      /^.*Service default\/c: spec\.type: Forbidden: 3 load balancers requested, the limit is 2 in the namespace; .*\n$/,
    );
    writeFileSync(at('stored.yaml'), ['first', 'second'].map((name) => manifestText({ name })).join('---\n'));
    assert.equal((await lint(manifestText(), quota, '--against', at('stored.yaml'))).code, 1);
  });

  it('exits with 0 if --strict finds only notes', async () => {
    const policy = documents(aPolicy('given', { defaults: [{ annotation: 'address-type', value: 'intranet' }] }));
    const { code, err } = await lint(manifestText(), policy, '--strict');
    assert.deepEqual([code, err.includes('0 errors, 0 warnings, 1 note\n')], [0, true]);
  });

  it('names the policy as the rule of a finding in JSON and SARIF', async () => {
    const json = await lint(SSH, documents(PORTS), '-o', 'json');
    assert.equal((JSON.parse(json.out) as { findings: { rule: string }[] }).findings[0]?.rule, 'policy/ports/no-ssh');
    const sarif = await lint(SSH, documents(PORTS), '-o', 'sarif');
    interface Run {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly { readonly ruleId: string; readonly ruleIndex: number }[];
    }
    const [run] = (JSON.parse(sarif.out) as { readonly runs: readonly Run[] }).runs;
    const [result] = run?.results ?? [];
    assert.equal(run?.tool.driver.rules[result?.ruleIndex ?? -1]?.id, 'policy/ports/no-ssh');
  });

  const BROKEN = `apiVersion: portcullis.io/v1alpha1
kind: LoadBalancerPolicy
metadata:
  name: ports
spec:
  constraints:
    - name: no-ssh
      mode: deny
      require:
        - field: port
          nonOf: ["22"]
        - annotation: adress-type
          present: true
`;
  const unreadable: Readonly<Record<string, readonly [policies: string, lines: readonly RegExp[]]>> = {
    'every error of a policy': [
      BROKEN,
      [
        /^error: policies\.yaml:8:7: LoadBalancerPolicy ports: spec\.constraints\[0\]\.mode: Unsupported value: "deny": supported values: "enforce", "warn", "audit"$/,
        /^policies\.yaml:11:11: .*: spec\.constraints\[0\]\.require\[0\]\.nonOf: Forbidden: unknown field$/,
        /^policies\.yaml:12:11: .*: Unsupported value: "adress-type": did you mean address-type\?$/,
      ],
    ],
    'a file that is not YAML': ['a: [', [/^error: policies\.yaml:1:5: the preceding \{ or \[ is not closed$/]],
    'a file without policies': [
      manifestText(),
      [/^error: policies\.yaml: no LoadBalancerPolicy or LoadBalancerException found$/],
    ],
    'two policies with the same name': [
      documents(PORTS, PORTS),
      [/^error: policies\.yaml:\d+:\d+: .*metadata\.name: Duplicate value: "ports": already used at policies\.yaml:4$/],
    ],
    'an unknown variable': [
      documents(aPolicy('named', { defaults: [{ annotation: 'name', value: '${team}-web' }] })),
      [/^error: .*spec\.defaults\[0\]: there is no variable \$\{team\}/],
    ],
    'a rule that cannot be tuned': [
      documents(aPolicy('p', { rules: [{ rule: 'protected-load-balancer' }] })),
      [
        /^error: .*spec\.rules\[0\]\.rule: Unsupported value: "protected-load-balancer": run portcullis explain to list the supported values$/,
      ],
    ],
  };
  for (const [title, [policies, lines]] of Object.entries(unreadable)) {
    it(`locates ${title}, with exit code 2`, async () => {
      const { code, out, err } = await lint(manifestText(), policies);
      assert.deepEqual([code, out], [2, '']);
      const printed = err.trimEnd().split('\n');
      assert.equal(printed.length, lines.length, err);
      for (const [index, line] of lines.entries()) assert.match(printed[index] ?? '', line);
    });
  }

  it('reads policies, namespaces and Services from a cluster', async () => {
    const answers: Readonly<Record<string, object>> = {
      '/apis/portcullis.io/v1alpha1/loadbalancerpolicies': listOf(
        aPolicy('ports', { match: SHOP, constraints: [NO_SSH] }),
      ),
      '/apis/portcullis.io/v1alpha1/loadbalancerexceptions': listOf(),
      '/api/v1/namespaces': listOf(namespace({ team: 'shop' })),
      '/api/v1/services': listOf(),
    };
    await using server = await fakeApiServer(({ path }, response) => {
      const body = answers[path];
      answer(response, body === undefined ? 404 : 200, body ?? status(404, `${path} not found`, 'NotFound'));
    });
    writeFileSync(at('web.yaml'), SSH);
    writeFileSync(at('config'), kubeconfigOf(server.url));
    const terminal = aTerminal();
    const code = await terminal.run(
      'lint',
      '--policy',
      'cluster',
      '--kubeconfig',
      at('config'),
      '-n',
      'default',
      at('web.yaml'),
    );
    assert.match(terminal.out(), /: error: .*\[policy\/ports\/no-ssh\]\n$/);
    assert.deepEqual([code, server.seen.every(({ method }) => method === 'GET')], [1, true]);
  });
});
