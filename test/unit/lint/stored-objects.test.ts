import assert from 'node:assert/strict';
import { lint, type LintOptions } from '../../../src/lint/lint.ts';
import { storedIn } from '../../../src/lint/stored-objects.ts';
import { manifestText } from '../../support/manifest-text.ts';

const OLD = 'service.beta.kubernetes.io/alicloud-loadbalancer-';

/** Returns each finding as `line:column level rule`. */
function findingsOf(text: string, options: Partial<LintOptions> = {}): readonly string[] {
  const { findings } = lint([{ name: 'web.yaml', text }], { namespace: 'default', ...options });
  return findings.map(({ range: place, level, rule }) => `${place.line}:${place.column} ${level} ${rule}`);
}
const storedAs = (text: string) => storedIn({ name: 'stored.yaml', text }, 'default');

/** Violations of the stored object only warn, so lint must compare the manifest with it. */
describe('lint against stored objects', () => {
  const STATUS = 'status: {loadBalancer: {ingress: [{ip: 47.96.0.1}]}}\n';
  const stored = (annotations: Readonly<Record<string, string>>, more = STATUS): string =>
    manifestText({ annotations, more }).replace(
      '  name: web\n',
      '  name: web\n  labels: {service.beta.kubernetes.io/hash: abc}\n',
    );
  const lastApplied = (annotations: Readonly<Record<string, string>>): string =>
    `'${JSON.stringify({ metadata: { annotations } })}'`;
  const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
  const TIMEOUT = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-established-timeout';

  const owned = (key: string): string =>
    `  managedFields: [{manager: helm, operation: Update, fieldsV1: {'f:metadata': {'f:annotations': {'f:${key}': {}}}}}]\n`;
  const ownedBy = (key: string, text: string): string => text.replace('  name: web\n', `  name: web\n${owned(key)}`);

  const copies: Readonly<Record<string, readonly [before: string, after: string, findings: readonly string[]]>> = {
    'an annotation that no client owns and the manifest lacks': [
      ownedBy('other', stored({ 'established-timeout': '"60"' })),
      manifestText(),
      ['5:3 warning undeclared-copy'],
    ],
    'no annotation that the manifest has': [
      ownedBy('other', stored({ 'established-timeout': '"60"' })),
      manifestText({ annotations: { 'established-timeout': '"60"' } }),
      [],
    ],
    'no annotation that the manifest has with its deprecated key': [
      ownedBy('other', stored({ 'established-timeout': '"60"' })),
      manifestText({ annotations: { [`${OLD}established-timeout`]: '"60"' } }),
      ['6:5 warning deprecated-key'],
    ],
    'no annotation that a client owns': [
      ownedBy(TIMEOUT, stored({ 'established-timeout': '"60"' })),
      manifestText(),
      [],
    ],
    'no annotation if the stored object has no managed fields': [
      stored({ 'established-timeout': '"60"' }),
      manifestText(),
      [],
    ],
  };
  for (const [what, [before, after, expected]] of Object.entries(copies)) {
    it(`lists ${what}`, () => assert.deepEqual(findingsOf(after, { stored: storedAs(before) }), expected));
  }

  const changes: Readonly<Record<string, readonly [before: string, after: string, findings: readonly string[]]>> = {
    'nothing without a change': [
      stored({ 'established-timeout': '"60"' }),
      manifestText({ annotations: { 'established-timeout': '"60"' } }),
      [],
    ],
    'a violation of the stored object as a warning': [
      stored({ 'established-timeout': '"9000"' }),
      manifestText({ annotations: { 'established-timeout': '"9000"' } }),
      ['6:5 warning annotation-value'],
    ],
    'a violation of the stored object as a warning with the deprecated key': [
      stored({ 'established-timeout': '"9000"' }),
      manifestText({ annotations: { [`${OLD}established-timeout`]: '"9000"' } }),
      ['6:5 warning deprecated-key', '6:5 warning annotation-value'],
    ],
    'a violation with a changed value': [
      stored({ 'established-timeout': '"9000"' }),
      manifestText({ annotations: { 'established-timeout': '"9001"' } }),
      ['6:5 error annotation-value'],
    ],
    'a change of an immutable annotation': [
      stored({ 'address-type': 'intranet' }, STATUS.replace('47.96.0.1', '10.1.0.20')),
      manifestText({ annotations: { 'address-type': 'internet' } }),
      ['6:5 error immutable-annotation'],
    ],
    'a change of an immutable annotation as a warning if no evidence shows the current value': [
      stored({ 'address-type': 'intranet' }),
      manifestText({ annotations: { 'address-type': 'internet' } }),
      ['6:5 warning immutable-annotation'],
    ],
    'nothing for a changed immutable annotation of a Service without a load balancer': [
      stored({ 'address-type': 'intranet' }, ''),
      manifestText({ annotations: { 'address-type': 'internet' } }),
      [],
    ],
    'nothing for an omitted immutable annotation, which kubectl apply keeps': [
      stored({ 'established-timeout': '"60"', 'address-type': 'intranet' }),
      manifestText({ annotations: { 'established-timeout': '"60"' } }),
      [],
    ],
    'a violation in an omitted annotation that kubectl apply keeps, at the field annotations': [
      stored({ 'established-timeout': '"9000"' }),
      manifestText(),
      ['5:3 warning annotation-value'],
    ],
    'nothing for a violation that the manifest removes': [
      stored({ 'established-timeout': '"9000"', [LAST]: lastApplied({ [TIMEOUT]: '9000' }) }),
      manifestText(),
      [],
    ],
    'nothing for a violation that the manifest removes by removing the deprecated key': [
      stored({ 'established-timeout': '"9000"', [LAST]: lastApplied({ [`${OLD}established-timeout`]: '9000' }) }),
      manifestText(),
      [],
    ],
    'another Service as new': [
      stored({ 'address-type': 'intranet' }),
      manifestText({ name: 'api', annotations: { 'address-type': 'internet', 'established-timeout': '"9000"' } }),
      ['7:5 error annotation-value'],
    ],
  };
  for (const [title, [before, after, findings]] of Object.entries(changes)) {
    it(`finds ${title}`, () => assert.deepEqual(findingsOf(after, { stored: storedAs(before) }), findings));
  }

  it('keeps node ports that the API server assigned', () => {
    const before = manifestText({
      annotations: { 'service.beta.kubernetes.io/backend-type': 'ecs' },
      ports: ['port: 80, nodePort: 30080'],
      more: '  allocateLoadBalancerNodePorts: false\n',
    });
    const after = before.replace(', nodePort: 30080', '');
    assert.deepEqual(findingsOf(after), ['11:3 error target-port']);
    assert.deepEqual(findingsOf(after, { stored: storedAs(before) }), []);
  });
});
