import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../src/annotation/well-known-names.ts';
import { annotationsPage } from '../../../src/explain/annotations-page.ts';
import { ENGLISH } from '../../../src/explain/english-texts.ts';
import { RULES } from '../../../src/explain/rules.ts';
import { ruleSection } from '../../../src/explain/rules-page.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aTerminal } from '../../support/terminal.ts';

const POLICIES = `apiVersion: portcullis.io/v1alpha1
kind: LoadBalancerPolicy
metadata: { name: ports }
spec:
  match:
    namespaceSelector:
      matchLabels: { team: shop }
      matchExpressions: [{ key: tier, operator: NotIn, values: [lab, test] }]
    operations: [CREATE]
  rules: [{ rule: target-port, mode: warn }]
  constraints:
    - name: no-ssh
      message: use the bastion
      enforceAfter: '2027-01-31T00:00:00Z'
      when: [{ annotation: address-type, oneOf: [internet] }, { field: port, oneOf: ['1'] }]
      require: [{ field: port, noneOf: ['22', '3389'] }, { annotation: name, oneOf: ['\${namespace}-*'] }]
  defaults: [{ annotation: address-type, value: intranet }]
  quotas: [{ name: few, per: namespace, listeners: 9 }]
---
apiVersion: portcullis.io/v1alpha1
kind: LoadBalancerException
metadata: { name: once }
spec:
  rule: policy/ports/no-ssh
  object: { namespace: shop, name: web }
  owner: team-shop
  reason: the bastion is being built
  expires: '2027-06-01T00:00:00Z'
`;

async function explained(...args: readonly string[]): Promise<string> {
  const terminal = aTerminal();
  const code = await terminal.run('explain', ...args);
  assert.deepEqual([code, terminal.err()], [0, '']);
  return terminal.out();
}

const BANDWIDTH = `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-bandwidth

  The maximum public bandwidth, which all listeners share. The limit depends on the region. A later
  change can be up to 5000.

  Values                     a whole number from 1 to 5120 (Mbit/s)
  Default                    no value is requested
  Applies to                 the load balancer
  Can be changed             yes, in place: only while charge-type is paybybandwidth
  On a reused load balancer  applied, as on an owned load balancer
  Requires                   charge-type: paybybandwidth (otherwise no effect)
  Conflicts with             address-type: intranet (no effect)
  Since                      v1.9.3 of the Alibaba Cloud Controller Manager
  Family                     Billing
  Option                     bandwidth

Example
  metadata:
    annotations:
      service.beta.kubernetes.io/alibaba-cloud-loadbalancer-bandwidth: "45"

Deprecated forms
  service.beta.kubernetes.io/alicloud-loadbalancer-bandwidth
  service.beta.kubernetes.io/alicloud-loadbalancer-Bandwidth
`;

const REUSE_ADDRESS = `reuse-address

  The annotations ip, address-type and ip-version match a reused load balancer, because the
  controller cannot change them.

  Tier        hygiene: prevents mistakes in the object
  Applies to  Services
  Tunable     yes: a policy can set its mode
  Requires    the inventory; portcullis lint evaluates the rule only with --facts
  Metric      portcullis_webhook_findings_total{rule="reuse-address"}
  Since       Portcullis 0.1.0

Wrong, if lb-1 is public
  metadata:
    annotations:
      service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
      service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: "intranet"

Right
  metadata:
    annotations:
      service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
      service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: "internet"
`;

/** Users look up annotations, rules and policies that a message names. */
describe('explain of rules', () => {
  it('prints a rule as text', async () => assert.equal(await explained('reuse-address'), REUSE_ADDRESS));

  it('prints the stored object for a rule about changes', async () => {
    assert.match(await explained('immutable-annotation'), /^Stored before\n {2}metadata:\n/m);
  });

  it('finds every rule before other objects with its name', async () => {
    for (const { rule } of RULES) assert.ok((await explained(rule.name)).startsWith(`${rule.name}\n\n`), rule.name);
  });

  it('prints the annotation with the same name as well', async () => {
    const both = JSON.parse(await explained('protocol-port', '-o', 'json')) as readonly Record<string, unknown>[];
    assert.deepEqual(
      both.map(({ kind }) => kind),
      ['rule', 'annotation'],
    );
  });

  it('prints all fields in JSON', async () => {
    const { kind, name, tier, tunable, needsInventory, examples } = JSON.parse(
      await explained('protected-load-balancer', '-o', 'json'),
    ) as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      { kind, name, tier, tunable, needsInventory },
      { kind: 'rule', name: 'protected-load-balancer', tier: 'safety', tunable: false, needsInventory: true },
    );
    assert.deepEqual(Object.keys(examples as object), ['cloud', 'wrong', 'right']);
  });

  it('prints a section of the rules page as Markdown', async () => {
    const topic = RULES.find(({ rule }) => rule.name === 'target-port')!;
    assert.equal(await explained('target-port', '-o', 'markdown'), `${ruleSection(topic, ENGLISH)}\n`);
  });
});

describe('explain', () => {
  it('prints an annotation as text', async () => assert.equal(await explained('bandwidth'), BANDWIDTH));

  const ways = {
    'its current key': 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-health-check-uri',
    'its old key': 'service.beta.kubernetes.io/alicloud-loadbalancer-health-check-uri',
    'its key of 2017': 'service.beta.kubernetes.io/alicloud-loadbalancer-HealthCheckURI',
    'its current key without the group': 'alibaba-cloud-loadbalancer-health-check-uri',
    'its old key without the group': 'alicloud-loadbalancer-health-check-uri',
    'its key of 2017 without the group': 'alicloud-loadbalancer-HealthCheckURI',
    'the path of its field, as in denials':
      'metadata.annotations[service.beta.kubernetes.io/alibaba-cloud-loadbalancer-health-check-uri]',
    'its key with a trailing colon': 'service.beta.kubernetes.io/alicloud-loadbalancer-health-check-uri:',
    'its key in quotes': '"alicloud-loadbalancer-health-check-uri":',
    'its key without the prefix': 'loadbalancer-health-check-uri',
    'its short name': 'health-check-uri',
    'its option': 'healthCheckUri',
  };
  for (const [title, name] of Object.entries(ways)) {
    it(`finds an annotation by ${title}`, async () => {
      const { key } = JSON.parse(await explained(name, '-o', 'json')) as { readonly key: string };
      assert.equal(key, 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-health-check-uri');
    });
  }

  it('finds every annotation, label, tag and finalizer', async () => {
    for (const [option, entry] of ENTRIES) assert.ok((await explained(option)).startsWith(entry.key), option);
    for (const { name } of Object.values(WELL_KNOWN)) assert.ok((await explained(name)).includes(name), name);
  });

  it('finds a label by a name that its pattern covers', async () => {
    assert.match(
      await explained('service.readiness.alibabacloud.com/web'),
      /^service\.readiness\.alibabacloud\.com\/\*\n/,
    );
  });

  it('prints both if an annotation and a label share a name', async () => {
    const [first, second] = JSON.parse(await explained('type', '-o', 'json')) as readonly Record<string, unknown>[];
    assert.deepEqual([first?.['kind'], second?.['kind']], ['annotation', 'mark']);
  });

  it('prints a regular expression as its source in JSON', async () => {
    const { value } = JSON.parse(await explained('id', '-o', 'json')) as {
      readonly value: { readonly pattern: string };
    };
    assert.equal(value.pattern, '^lb-[a-z0-9]+$');
  });

  it('prints a section of the reference page as Markdown', async () => {
    assert.ok(annotationsPage(ENGLISH).includes(await explained('bandwidth', '-o', 'markdown')));
  });

  it('lists all entries by family without a name', async () => {
    const list = await explained();
    assert.match(list, /^Billing\n {2}instance-charge-type {2}\S/m);
    assert.match(list, /^Rules\n {2}protected-load-balancer +\S/m);
    assert.match(list, /^Labels of a Service\n {2}service\.beta\.kubernetes\.io\/hash +\S/m);
  });

  it('lists all entries in JSON', async () => {
    const all = JSON.parse(await explained('-o', 'json')) as readonly unknown[];
    assert.equal(all.length, ENTRIES.length + Object.keys(WELL_KNOWN).length + RULES.length);
  });

  it('prints the whole page in Markdown', async () =>
    assert.equal(await explained('-o', 'markdown'), annotationsPage(ENGLISH)));

  const misses = {
    bandwith: 'did you mean bandwidth?',
    'health-check-http-code': 'did you mean health-check-httpcode?',
    'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-adress-type': 'did you mean address-type?',
    'redirect-http-to-https': 'did you mean forward-port?',
    'kubernetes.do.not.delet': 'did you mean kubernetes.do.not.delete?',
    'reuse-listenr': 'did you mean reuse-listener?',
    'quite another thing': 'run portcullis explain to list all names',
  };
  for (const [name, hint] of Object.entries(misses)) {
    it(`answers ${name} with "${hint}"`, async () => {
      const terminal = aTerminal();
      assert.equal(await terminal.run('explain', name), 2);
      assert.equal(terminal.err(), `error: unknown name ${JSON.stringify(name)}: ${hint}\n`);
    });
  }
});

describe('explain of objects in a cluster', () => {
  it('prints the command to read the constraint in a denial', async () => {
    const text = await explained('policy/ports/no-ssh');
    assert.match(text, /^no-ssh is a constraint or a quota of LoadBalancerPolicy ports/);
    assert.match(text, /kubectl get lbp ports -o yaml/);
  });

  it('prints the kind and the policy of a name in JSON', async () => {
    assert.deepEqual(JSON.parse(await explained('-o', 'json', 'policy/ports')), { kind: 'policy', policy: 'ports' });
  });

  const file = (text: string): string => {
    const path = join(folder.path, 'policies.yaml');
    writeFileSync(path, text);
    return path;
  };
  const folder = temporaryFolder();
  after(() => folder[Symbol.dispose]());

  it('prints the requirements and exceptions of a constraint in a file', async () => {
    const path = file(POLICIES);
    assert.equal(
      await explained('policy/ports/no-ssh', '--policy', path),
      `policy/ports/no-ssh

  A rule of LoadBalancerPolicy ports in the given files.

  In namespaces with  team=shop and tier not in (lab, test)
  On operations       CREATE
  Where               address-type: internet
                      port: 1
  Allows              port: not 22 or 3389
                      name: \${namespace}-*
  Violations          get a warning until 2027-01-31T00:00:00Z, and are denied afterwards
  Advice              use the bastion
  Exceptions          shop/web until 2027-06-01T00:00:00Z (exception once, owner team-shop)
`,
    );
  });

  it('prints the limits of a quota, and the parts and exceptions of a policy', async () => {
    const path = file(POLICIES);
    assert.match(
      await explained('policy/ports/few', '--policy', path),
      /Allows +at most 9 listeners, in each namespace\n.*Violations +are denied/,
    );
    const whole = await explained('policy/ports', '--policy', path);
    for (const line of [
      'target-port: violations get a warning',
      'policy/ports/no-ssh',
      'address-type: intranet',
      'policy/ports/few',
      'policy/ports/no-ssh: shop/web until 2027-06-01T00:00:00Z',
    ]) {
      assert.ok(whole.includes(line), line);
    }
  });

  it('reports a constraint that the file lacks', async () => {
    const terminal = aTerminal();
    const path = file(POLICIES);
    assert.equal(await terminal.run('explain', 'policy/ports/no-such', '--policy', path), 2);
    assert.equal(terminal.err(), `error: ${path}: policy/ports/no-such not found\n`);
  });
});
