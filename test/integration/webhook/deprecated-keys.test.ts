import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import type { DeprecatedKeys } from '../../../webhook/mutate/mutate.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import {
  BOTH_DIFFER,
  COPY_REMOVED,
  COPY_STAYS,
  EMPTY,
  NOTHING_CHANGES,
  runSteps,
  startInMode,
  type Step,
  type Steps,
} from '../../support/deprecated-key-steps.ts';
import type { Editor, Writer } from '../../support/annotation-clients.ts';

const OLD_LABEL = 'service.beta.kubernetes.io/exclude-node';
const NEW_LABEL = 'service.alibabacloud.com/exclude-node';

/** Returns a sequence for each writer: `first` if given, and then the steps by this writer. */
const byEach = (writers: readonly Writer[], steps: readonly Omit<Step, 'by'>[], first?: Step) =>
  writers.map(
    (by) => [by, [...(first === undefined ? [] : [first]), ...steps.map((step) => ({ by, ...step }))]] as const,
  );

const EDITORS: readonly Editor[] = ['annotate', 'patch', 'edit'];

const EDITED: readonly Omit<Step, 'by'>[] = [
  { keys: { old: 'rr' }, stored: { new: 'rr' } },
  { keys: { old: 'wrr' }, stored: { new: 'wrr' } },
  { keys: { new: 'sch' }, stored: { new: 'sch' } },
  { keys: { old: 'tch', new: 'rr' }, stored: { new: 'rr' }, warns: BOTH_DIFFER },
  { keys: { old: 'wrr' }, stored: { new: 'wrr' } },
  { keys: { new: null }, stored: {} },
];
const EDITED_AND_KEPT: readonly Omit<Step, 'by'>[] = [
  { keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
  { keys: { old: 'wrr' }, stored: { old: 'wrr', new: 'wrr' } },
  { keys: { new: 'sch' }, stored: { old: 'wrr', new: 'sch' } },
  { keys: { old: 'tch', new: 'rr' }, stored: { old: 'tch', new: 'rr' }, warns: BOTH_DIFFER },
  { keys: { old: null }, stored: { new: 'rr' } },
  { keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
  { keys: { old: null }, stored: { new: 'rr' }, warns: COPY_STAYS },
  { keys: { new: null }, stored: {} },
];
const APPLIED_AND_KEPT: readonly Omit<Step, 'by'>[] = [
  { keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
  { keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' }, same: true },
  { keys: { old: 'wrr' }, stored: { old: 'wrr', new: 'wrr' } },
  { keys: { old: 'sch', new: 'wrr' }, stored: { old: 'sch', new: 'wrr' }, warns: BOTH_DIFFER },
  { keys: { new: 'wrr' }, stored: { new: 'wrr' } },
  { keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
  { keys: { new: 'rr' }, stored: { new: 'rr' } },
  { keys: {}, stored: {} },
  { keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
  { keys: {}, stored: {}, warns: COPY_REMOVED },
];
const RELEASED: Steps = [
  { by: 'chart', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
  { by: 'chart', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' }, same: true },
  { by: 'chart', keys: { old: 'wrr' }, stored: { old: 'wrr', new: 'wrr' } },
  { by: 'chart', keys: { new: 'rr' }, stored: { new: 'rr' } },
  { by: 'chart', keys: { old: 'sch' }, stored: { old: 'sch', new: 'sch' } },
  // The stored object already has the value under the new key, so the patch of the tool does not contain the new key.
  { by: 'chart', keys: { new: 'sch' }, stored: { new: 'sch' }, warns: COPY_STAYS },
  { by: 'chart', keys: { new: 'sch' }, stored: { new: 'sch' }, same: true },
  { by: 'chart', keys: {}, stored: {} },
];

/** Changes that a user makes to an old and a new key, after the webhook has copied the old key of a chart tool to the new key. */
const WITH_A_CHART: readonly Omit<Step, 'by'>[] = [
  { keys: { new: 'wrr' }, stored: { old: 'rr', new: 'wrr' } },
  { keys: { old: 'sch' }, stored: { old: 'sch', new: 'sch' } },
  { keys: { old: 'tch', new: 'rr' }, stored: { old: 'tch', new: 'rr' }, warns: BOTH_DIFFER },
  { keys: { new: 'tch' }, stored: { old: 'tch', new: 'tch' } },
  { keys: { old: null }, stored: { new: 'tch' }, warns: COPY_STAYS },
];
const MODES: Readonly<Record<DeprecatedKeys, readonly (readonly [string, Steps])[]>> = {
  auto: [
    [
      'kubectl apply',
      [
        { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
        { by: 'diff', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
        { by: 'apply', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
        { by: 'annotate', keys: { old: 'sch' }, stored: { new: 'sch' } },
        { by: 'annotate', keys: { new: 'tch' }, stored: { new: 'tch' } },
        { by: 'apply', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
        { by: 'apply', keys: {}, stored: {} },
        { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'apply', keys: { new: 'rr' }, stored: { new: 'rr' } },
        { by: 'apply', keys: { old: 'wrr', new: 'rr' }, stored: { new: 'rr' }, warns: BOTH_DIFFER },
        { by: 'apply', keys: {}, stored: {} },
      ],
    ],
    [
      'kubectl apply, with a warning if a command removes only the old key',
      [
        { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'annotate', keys: { old: null }, stored: { new: 'rr' }, same: true, warns: NOTHING_CHANGES },
        { by: 'patch', keys: { old: null }, stored: { new: 'rr' }, same: true, warns: NOTHING_CHANGES },
        { by: 'annotate', keys: { new: null }, stored: {} },
      ],
    ],
    [
      'server-side apply',
      [
        { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
        { by: 'server-side', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
        { by: 'server-side', keys: { old: 'rr', new: 'wrr' }, stored: { new: 'wrr' }, warns: BOTH_DIFFER },
        { by: 'server-side', keys: { new: 'wrr' }, stored: { new: 'wrr' } },
        { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'server-side', keys: {}, stored: {} },
      ],
    ],
    [
      'kubectl apply that changes to server-side apply, without a conflict',
      [
        { by: 'apply', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'server-side', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
        { by: 'server-side', keys: {}, stored: {} },
      ],
    ],
    [
      'kubectl create and replace',
      [
        { by: 'create', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'replace', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
        { by: 'replace', keys: { old: 'wrr' }, stored: { new: 'wrr' }, same: true },
        { by: 'replace', keys: { old: 'rr', new: 'sch' }, stored: { new: 'sch' }, warns: BOTH_DIFFER },
        { by: 'replace', keys: {}, stored: {} },
      ],
    ],
    ...byEach(EDITORS, EDITED, EMPTY),
    ['a chart tool', RELEASED],
    ...EDITORS.flatMap((by) =>
      byEach([by], WITH_A_CHART, RELEASED[0]).map(
        ([, steps]) =>
          [
            `a chart tool together with ${by}`,
            [...steps, { by: 'chart', keys: {}, stored: { new: 'tch' }, same: true }],
          ] as const,
      ),
    ),
    [
      'a chart tool, and a manifest that replaces its Service',
      [
        { by: 'chart', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
        { by: 'replace', keys: { old: 'wrr', new: 'rr' }, stored: { old: 'wrr', new: 'wrr' } },
        { by: 'replace', keys: { new: 'wrr' }, stored: { new: 'wrr' }, warns: COPY_STAYS },
        { by: 'replace', keys: {}, stored: {} },
      ],
    ],
  ],
  keep: [
    ...byEach(['apply', 'server-side'], APPLIED_AND_KEPT),
    [
      'kubectl create, replace and diff',
      [
        { by: 'create', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' } },
        { by: 'diff', keys: { old: 'rr' }, stored: { old: 'rr', new: 'rr' }, same: true },
        { by: 'replace', keys: { old: 'wrr' }, stored: { old: 'wrr', new: 'wrr' } },
        { by: 'replace', keys: { old: 'sch', new: 'tch' }, stored: { old: 'sch', new: 'tch' }, warns: BOTH_DIFFER },
        { by: 'replace', keys: {}, stored: {} },
      ],
    ],
    ...byEach(EDITORS, EDITED_AND_KEPT, EMPTY),
  ],
  replace: [
    [
      'a chart tool, whose removal of a key cannot be detected',
      [
        { by: 'chart', keys: { old: 'rr' }, stored: { new: 'rr' } },
        { by: 'chart', keys: { old: 'rr' }, stored: { new: 'rr' }, same: true },
        { by: 'chart', keys: { old: 'wrr' }, stored: { new: 'wrr' } },
        { by: 'chart', keys: {}, stored: { new: 'wrr' }, same: true },
      ],
    ],
  ],
};

/** Each tool removes and rewrites annotations in its own way. A wrong rewrite would lose a setting or never end. */
describe('deprecated keys on the real API server', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    await cluster.plane.kubectl('create', 'namespace', 'shop');
  });
  after(() => resources.disposeAsync());

  async function labelled(name: string): Promise<void> {
    const labels = async (): Promise<unknown> => {
      const { metadata } = (await cluster.plane.client.get(`/api/v1/nodes/${name}`)) as {
        metadata: { labels?: object };
      };
      return metadata.labels ?? {};
    };
    const label = (...labels: string[]) => cluster.plane.kubectlWith('', 'label', 'node', name, ...labels);
    const node = stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [OLD_LABEL]: 'indeed' } } });
    const created = await cluster.plane.kubectlWith(node, 'create', '-f', '-');
    assert.match(created.stderr, /Warning: Node .*: the label .* is deprecated/);
    assert.deepEqual(await labels(), { [OLD_LABEL]: 'indeed', [NEW_LABEL]: 'indeed' });
    assert.match((await label(`${NEW_LABEL}-`)).stderr, /Warning: Node .*: the label .* is added again/);
    assert.deepEqual(await labels(), { [OLD_LABEL]: 'indeed', [NEW_LABEL]: 'indeed' });
    assert.match((await label(`${OLD_LABEL}-`)).stderr, /Warning: Node .*still excludes the node/);
    assert.deepEqual(await labels(), { [NEW_LABEL]: 'indeed' });
    await label(`${NEW_LABEL}-`);
    assert.deepEqual(await labels(), {});
    assert.match((await label(`${NEW_LABEL}=false`)).stderr, /Warning: Node .*excludes the node/);
  }

  for (const [mode, sequences] of Object.entries(MODES) as [DeprecatedKeys, (typeof MODES)['auto']][]) {
    describe(`with --deprecated-keys=${mode}`, () => {
      const ended = new AsyncDisposableStack();
      before(async () => {
        ended.use(await startInMode(cluster, mode));
      });
      after(() => ended.disposeAsync());

      for (const [index, [writer, steps]] of sequences.entries()) {
        it(`are replaced or copied for this writer: ${writer}`, () => runSteps(cluster, `${mode}-${index}`, steps));
      }

      it('of Nodes are copied to the current label, which stays when the deprecated label is removed', () =>
        labelled(`node-${mode}`));
    });
  }
});
