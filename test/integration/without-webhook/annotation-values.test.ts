import assert from 'node:assert/strict';
import { join } from 'node:path';
import { typeError } from '../../../src/annotation/allowed-values.ts';
import { ENTRIES } from '../../../src/annotation/catalogue.ts';
import type { OptionDefinition } from '../../../src/annotation/option-definition.ts';
import { messageOf } from '../../../src/base/errors.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { consequenceOf } from '../../../src/rules/engine/evaluate.ts';
import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { serviceSubject, TYPE } from '../../../src/rules/engine/subject.ts';
import { annotationValue } from '../../../src/rules/annotation-value.ts';
import { SHOWN } from '../../support/admission-policy/message-expression.ts';
import { ANNOTATION_VALUES } from '../../support/admission-policy/values.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { answered } from '../../support/eventually.ts';
import { aFacts } from '../../support/facts.ts';
import { aService } from '../../support/service.ts';

const FOLDER = join(import.meta.dirname, '../../../manifests/without-webhook');
const PATH = '/api/v1/namespaces/default/services';
const DRY_RUN = `${PATH}?dryRun=All`;
/** The number of parallel requests. */
const LANES = 8;

/** Texts that are valid for some annotations, or for none. */
const TEXTS = [
  '',
  '0',
  '1',
  '+5',
  '007',
  '-1',
  '5121',
  '99999999999999',
  'on',
  'off',
  'ON',
  'true',
  'false',
  'no',
  'x',
  ' a ',
  'a b',
  '1s',
];
const PLAIN_KINDS: ReadonlySet<string> = new Set(['enum', 'flag', 'boolean', 'integer']);

/** Returns the texts for an annotation: common texts, its own values, and its own values in capitals. */
function textsFor({ value }: OptionDefinition): readonly string[] {
  if (value.kind === 'enum') return [...TEXTS, ...value.values, ...value.values.map((word) => word.toUpperCase())];
  if (value.kind === 'integer') return [...TEXTS, value.min - 1, value.min, value.max, value.max + 1].map(String);
  return [
    ...TEXTS,
    'lb-bp1example',
    'cn-hangzhou',
    '10.0.0.1',
    '10.0.0.256',
    'long-'.repeat(80),
    'two\nlines',
    'a"b\\c',
  ];
}

const ADDRESS_TYPE = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type';
const FINALIZED = ['--type=merge', '--dry-run=server', '-p', JSON.stringify({ metadata: { finalizers: [FINALIZER] } })];

const service = (annotations: Readonly<Record<string, string>>, name = 'web') => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, annotations },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

/** Returns whether the webhook would deny the value. */
function webhookDenies(annotations: Readonly<Record<string, string>>): boolean {
  const violations = annotationValue.check(serviceSubject(aService({ annotations })), aFacts(), ENFORCE_ALL);
  return violations.some(
    (violation) => consequenceOf({ rule: annotationValue, violation }, ENFORCE_ALL, 'shop') === 'deny',
  );
}

/** If an admission policy denied more than the webhook, changes of working Services would fail. It may deny less only in complex formats. */
describe('annotation values in a cluster with the admission policies and no webhook', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let plane: TestControlPlane;

  /** Returns the API server's denial of a Service. Undefined if it accepts the Service. */
  async function denial(object: object): Promise<string | undefined> {
    try {
      await plane.client.create(DRY_RUN, object);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  before(async () => {
    plane = resources.use(await borrowControlPlane());

    await plane.client.create(PATH, service({ [ADDRESS_TYPE]: 'public' }, 'stored'));
    const network = { [ADDRESS_TYPE]: 'public', [TYPE]: 'nlb' };
    await plane.client.create(PATH, service(network, 'network'));
    // Only these policies are applied, because other policies would also deny values.
    const files = ['annotation-values.yaml', 'annotation-values-binding.yaml'].flatMap((file) => [
      '-f',
      join(FOLDER, file),
    ]);
    await plane.kubectl('apply', '--server-side', ...files);
    await answered(async () => {
      return (
        ((await denial(service({ [ADDRESS_TYPE]: 'public' }))) ?? '').includes('portcullis-annotation-values') ||
        undefined
      );
    }, 'the policy is in force');
  });
  after(() => resources.disposeAsync());

  it('are denied only if the webhook would also deny them', async () => {
    const formatted = ENTRIES.map(([, entry]) => entry).filter(({ key }) =>
      ANNOTATION_VALUES.validations.some(({ messageExpression = '' }) => messageExpression.includes(`[${key}]`)),
    );
    assert.ok(formatted.length >= 24, String(formatted.length));
    const cases = formatted.flatMap((entry) => textsFor(entry).map((text) => ({ entry, text }))).values();
    const wrong: string[] = [];
    let denied = 0;
    const lane = async (): Promise<void> => {
      for (const { entry, text } of cases) {
        const annotations = { [entry.key]: text };
        const reported = await denial(service(annotations));
        const expected = webhookDenies(annotations);
        if (reported !== undefined) denied += 1;
        const isFalse = reported !== undefined && !expected;
        const isMissed = reported === undefined && expected && PLAIN_KINDS.has(entry.value.kind);
        if (isFalse || isMissed) wrong.push(`${entry.key}=${JSON.stringify(text)}: ${reported ?? 'accepted'}`);
        const quoted = JSON.stringify(text.slice(0, SHOWN));
        const { reason, detail } = typeError(entry.value, undefined);
        const title = reason === 'Invalid' ? 'Invalid value' : 'Unsupported value';
        const message = `metadata.annotations[${entry.key}]: ${title}: ${quoted}: ${detail} [annotation-value]`;
        if (reported !== undefined && !reported.includes(message)) wrong.push(reported);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    assert.deepEqual(wrong, []);
    assert.ok(denied > 300, String(denied));
  });

  it('are allowed if the Service already has them, although they are invalid', async () => {
    await plane.kubectl('annotate', 'service/stored', 'note=one');
    await plane.kubectl('patch', 'service/stored', ...FINALIZED);
    const { code, stderr } = await plane.kubectlWith(
      '',
      ...['annotate', '--overwrite', 'service/stored'],
      `${ADDRESS_TYPE}=external`,
    );
    assert.equal(code, 1);
    assert.match(
      stderr,
      /address-type\]: Unsupported value: "external": supported values: "internet", "intranet" \[annotation-value\]/,
    );
  });

  it('are checked when a Service gets the finalizer of Portcullis and so becomes managed', async () => {
    const { code, stderr } = await plane.kubectlWith('', 'patch', 'service/network', ...FINALIZED);
    assert.equal(code, 1);
    assert.match(stderr, /address-type\]: Unsupported value: "public": /);
  });
});
