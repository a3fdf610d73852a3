import assert from 'node:assert/strict';
import { fileFacts } from '../../../src/lint/inventory-facts.ts';
import { lint, type LintOptions } from '../../../src/lint/lint.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { manifestText } from '../../support/manifest-text.ts';

const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-';
const NOW = Date.parse('2026-01-02T03:04:06Z');

const report = (text: string, options: Partial<LintOptions> = {}) =>
  lint([{ name: 'web.yaml', text }], { namespace: 'default', ...options });
/** Returns each finding as `line:column level rule`. */
const findingsOf = (text: string, options: Partial<LintOptions> = {}): readonly string[] =>
  report(text, options).findings.map(
    ({ range: place, level, rule }) => `${place.line}:${place.column} ${level} ${rule}`,
  );

const factsOf = (items: readonly object[], now = NOW) =>
  fileFacts(
    { name: 'facts.json', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) },
    { now: () => now },
  );

const NODE = 'apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels:\n';

const rows: Readonly<Record<string, readonly [text: string, findings: readonly string[]]>> = {
  'nothing for a plain Service': [manifestText(), []],
  'a value out of its range': [
    manifestText({ annotations: { 'established-timeout': '"9000"' } }),
    ['6:5 error annotation-value'],
  ],
  'a misspelled key': [manifestText({ annotations: { bandwith: '"5"' } }), ['6:5 error unknown-annotation']],
  'a port with a protocol that no listener can have': [
    manifestText({ ports: ['port: 80', 'port: 90, protocol: SCTP'] }),
    ['10:18 error port-protocol'],
  ],
  'a missing annotation, at the field annotations': [
    manifestText({ annotations: { 'protocol-port': '"https:80"' } }),
    ['5:3 error protocol-port'],
  ],
  'several violations by position': [
    manifestText({ annotations: { scheduler: 'fastest', 'established-timeout': '"x"' } }),
    ['6:5 error annotation-value', '7:5 error annotation-value'],
  ],
  'advice as a warning': [manifestText({ annotations: { 'zone-maps': 'a:b' } }), ['6:5 warning nlb-annotation']],
  'a deprecated key as a warning': [
    manifestText({ annotations: { [`${OLD}established-timeout`]: '"60"' } }),
    ['6:5 warning deprecated-key'],
  ],
  'an invalid value of a deprecated key, at that key': [
    manifestText({ annotations: { [`${OLD}established-timeout`]: '"9000"' } }),
    ['6:5 warning deprecated-key', '6:5 error annotation-value'],
  ],
  'a deprecated key next to its current key, which has effect': [
    manifestText({ annotations: { 'established-timeout': '"60"', [`${OLD}established-timeout`]: '"9000"' } }),
    ['7:5 warning deprecated-key'],
  ],
  'a number instead of text, and evaluates it nevertheless': [
    manifestText({ annotations: { 'established-timeout': '9000' } }),
    ['6:5 error field-type', '6:5 error annotation-value'],
  ],
  'an unquoted on, which is a boolean for kubectl': [
    manifestText({ annotations: { 'delete-protection': 'on' } }),
    ['6:5 error field-type'],
  ],
  'nothing for an annotation without a value': [manifestText({ annotations: { 'established-timeout': '' } }), []],
  'a map instead of text': [
    manifestText({ annotations: { 'established-timeout': '{a: 1}' } }),
    ['6:5 error field-type'],
  ],
  'a port in quotes, and skips the rules': [
    manifestText({ annotations: { 'established-timeout': '"9000"' }, ports: ['port: "80"'] }),
    ['10:8 error field-type'],
  ],
  'a Service without metadata': ['apiVersion: v1\nkind: Service\n', ['1:1 error field-type']],
  'nothing for a Service of another type': [
    manifestText({ annotations: { 'established-timeout': '"9000"' } }).replace('LoadBalancer', 'ClusterIP'),
    [],
  ],
  'nothing for a Service of another controller': [
    manifestText({
      annotations: { 'established-timeout': '"9000"' },
      more: '  loadBalancerClass: alibabacloud.com/nlb\n',
    }),
    [],
  ],
  'nothing for an id, without facts about the cloud': [manifestText({ annotations: { id: 'lb-gone' } }), []],
  'an exclude label with the value false, which excludes the Node too': [
    `${NODE}    service.alibabacloud.com/exclude-node: "false"\n`,
    ['6:5 warning exclude-label'],
  ],
  'a deprecated label of a Node': [
    `${NODE}    service.beta.kubernetes.io/exclude-node: ""\n`,
    ['6:5 warning deprecated-key'],
  ],
  'a repeated key': [`${manifestText()}spec: {type: ClusterIP}\n`, ['10:1 error manifest-syntax']],
};

/** Users fix manifests by these findings, so position, level and message must be right. */
describe('lint', () => {
  for (const [title, [text, findings]] of Object.entries(rows)) {
    it(`finds ${title}`, () => assert.deepEqual(findingsOf(text), findings));
  }

  it('has the message of the webhook, and names the object', () => {
    const [first] = report(manifestText({ annotations: { [`${OLD}established-timeout`]: '"9000"' } })).findings.slice(
      1,
    );
    assert.deepEqual(
      [first?.object, first?.field, first?.reason, first?.value, first?.message],
      [
        'Service default/web',
        'metadata.annotations[service.beta.kubernetes.io/alibaba-cloud-loadbalancer-established-timeout]',
        'FieldValueInvalid',
        '9000',
        'Invalid value: "9000": must be a whole number from 10 to 900 (seconds) [annotation-value]',
      ],
    );
  });

  it('ignores a status in a file, as the API server does', () => {
    const clb = aClb('lb-1', { owner: 'this-cluster', service: 'default/web', addressType: 'intranet' });
    const facts = () => factsOf([clb, aCloudInventory({ disablePublicSLB: true })]);
    const status = 'status:\n  loadBalancer: {ingress: [{ip: 47.96.0.1}]}\n';
    const found = findingsOf(manifestText({ more: status }), { facts: facts() });
    assert.deepEqual(found, findingsOf(manifestText(), { facts: facts() }));
    assert.deepEqual(found, ['5:3 error public-address']);
  });

  it('reports which of two contradicting deprecated forms has effect', () => {
    const annotations = { [`${OLD}AddressType`]: 'internet', [`${OLD}address-type`]: 'intranet' };
    const messages = report(manifestText({ annotations })).findings.map(({ message }) => message);
    assert.deepEqual(
      messages.filter((text) => text.includes(`has no effect, because ${OLD}address-type has another value`)).length,
      1,
    );
  });

  it('counts the evaluated objects, and lists those that would be denied', () => {
    const bad = manifestText({ name: 'api', annotations: { 'established-timeout': '"9000"', scheduler: 'x' } });
    const { files, services, nodes, denied } = report(`${manifestText()}---\n${bad}---\n${NODE}    a: b\n`);
    assert.deepEqual(
      { files, services, nodes, denied },
      { files: 1, services: 2, nodes: 1, denied: ['Service default/api'] },
    );
  });

  it('counts Services whose reused load balancer cannot be checked without an inventory', () => {
    const text = manifestText({ annotations: { id: 'lb-1' } });
    assert.equal(report(text).unchecked, 1);
    assert.equal(report(text, { facts: factsOf([aClb('lb-1')]) }).unchecked, 1);
    assert.equal(report(text, { facts: factsOf([aCloudInventory()]) }).unchecked, 0);
  });
});

describe('lint with facts', () => {
  const OWN = { port: 80, protocol: 'tcp', service: 'default/web', scheduler: 'wrr' } as const;
  const REUSE = manifestText({ annotations: { id: 'lb-1', 'force-override-listeners': '"true"' } });
  const facts: Readonly<
    Record<string, readonly [items: readonly object[], findings: readonly string[], now?: number]>
  > = {
    'nothing for a free load balancer': [[aCloudInventory(), aClb('lb-1')], []],
    'a missing load balancer': [[aCloudInventory()], ['6:5 error reuse-existence']],
    'a missing load balancer as a warning with stale facts': [
      [aCloudInventory()],
      ['6:5 warning reuse-existence'],
      NOW + 3_600_000,
    ],
    "the API server's load balancer, with facts of any age": [
      [aCloudInventory(), aClb('lb-1', { owner: 'api-server' })],
      ['6:5 error protected-load-balancer'],
      NOW + 3_600_000,
    ],
    'a port that a Service in the facts uses': [
      [aCloudInventory(), aClb('lb-1'), serviceOn('shop', 80)],
      ['11:8 error reuse-listener'],
    ],
    "nothing for the Service's own listener": [[aCloudInventory(), aClb('lb-1', { listeners: [OWN] })], []],
  };
  for (const [title, [items, findings, now]] of Object.entries(facts)) {
    it(`finds ${title}`, () => assert.deepEqual(findingsOf(REUSE, { facts: factsOf(items, now) }), findings));
  }

  it("finds a scheduler that the Service's own listener cannot have", () => {
    const hashed = manifestText({
      annotations: { id: 'lb-1', 'force-override-listeners': '"true"', scheduler: 'sch' },
    });
    const known = factsOf([aCloudInventory(), aClb('lb-1', { listeners: [OWN] })]);
    assert.deepEqual(findingsOf(hashed, { facts: known }), ['8:5 error one-way-change']);
  });

  it('finds a port that an earlier manifest uses, unless that manifest would be denied', () => {
    const both = (first: string) =>
      findingsOf(`${first}---\n${REUSE.replace('name: web', 'name: second')}`, {
        facts: factsOf([aCloudInventory(), aClb('lb-1')]),
      });
    assert.deepEqual(both(REUSE), ['23:8 error reuse-listener']);
    assert.deepEqual(
      both(
        REUSE.replace(
          'spec:',
          '    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-established-timeout: "x"\nspec:',
        ),
      ),
      ['8:5 error annotation-value'],
    );
  });

  it('allows a port that another Service has in the facts, but no longer in its manifest', () => {
    const moved = REUSE.replace('port: 80', 'port: 81').replace('name: web', 'name: api\n  namespace: shop');
    const items = [aCloudInventory(), aClb('lb-1'), serviceOn('shop', 80, 'api')];
    assert.deepEqual(findingsOf(`${moved}---\n${REUSE}`, { facts: factsOf(items) }), []);
  });

  const broken: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
    'without an inventory': [
      manifestText(),
      /^facts\.yaml contains no ClassicLoadBalancer and no CloudInventory: create the file with kubectl get clb/,
    ],
    'with unreadable content': ['a: [', /^facts\.yaml:1:5: the preceding \{ or \[ is not closed/],
    'with an invalid value': [
      JSON.stringify(aClb('lb-1', { owner: 'me' as 'user' })),
      /^facts\.yaml:1:\d+: the ClassicLoadBalancer is invalid: status\.owner: .*; create the file with kubectl get/,
    ],
  };
  for (const [title, [text, message]] of Object.entries(broken)) {
    it(`rejects a file ${title}`, () => {
      assert.throws(() => fileFacts({ name: 'facts.yaml', text }, { now: () => NOW }), {
        reason: 'InvalidConfiguration',
        message,
      });
    });
  }
});

/** Returns a stored Service that has a port of `lb-1`. */
function serviceOn(namespace: string, port: number, name = 'holder'): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace,
      annotations: {
        'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id': 'lb-1',
        'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-force-override-listeners': 'true',
      },
    },
    spec: { type: 'LoadBalancer', ports: [{ port, protocol: 'TCP' }] },
  };
}
