import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { parseCloudConfig } from '../src/base/cloud-config.ts';
import { ExceptionShape } from '../src/lint/policy/exception-shape.ts';
import { PolicyShape } from '../src/lint/policy/load-balancer-policy-schema.ts';
import { TestShape } from '../src/policy-test/test-shape.ts';
import { EDITOR_SCHEMAS } from './support/editor-schemas.ts';
import { root } from './support/manifests.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
ajv.addFormat('date-time', (value) => z.iso.datetime({ offset: true }).safeParse(value).success);

/** Returns the validator of the published schema with a title. */
function validatorOf(title: string): ValidateFunction {
  const { path } = EDITOR_SCHEMAS.find((schema) => schema.title === title) ?? assert.fail(title);
  return ajv.getSchema(path) ?? ajv.addSchema(JSON.parse(read(path)) as object, path).getSchema(path)!;
}
function errorsOf(title: string, value: unknown): readonly string[] {
  const validate = validatorOf(title);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath}: ${message}`);
}

const SHAPES = { LoadBalancerPolicy: PolicyShape, LoadBalancerException: ExceptionShape, PolicyTest: TestShape };
type Kind = keyof typeof SHAPES;

interface Document {
  readonly file: string;
  readonly kind: Kind;
  readonly object: unknown;
}

/** Returns the objects of a text that have a schema. */
const documentsIn = (file: string, text: string): readonly Document[] =>
  parseAllDocuments(text).flatMap((document) => {
    const object: unknown = document.toJS();
    const kind = typeof object === 'object' && object !== null && 'kind' in object ? object.kind : undefined;
    return typeof kind === 'string' && Object.hasOwn(SHAPES, kind) ? [{ file, kind: kind as Kind, object }] : [];
  });

const FILES = globSync('manifests/{samples,policies}/**/*.yaml', { cwd: root }).sort();
const PAGES = globSync('docs/**/*.md', { cwd: root }).sort();
const examples: readonly Document[] = [
  ...FILES.flatMap((file) => documentsIn(file, read(file))),
  ...PAGES.flatMap((page) =>
    [...read(page).matchAll(/^```yaml\n([^]*?)^```/gm)].flatMap(([, block = '']) => documentsIn(page, block)),
  ),
];

const policy = (spec: object, more: object = {}): object => ({
  ...{ apiVersion: 'portcullis.io/v1alpha1', kind: 'LoadBalancerPolicy', metadata: { name: 'p' }, spec },
  ...more,
});
const requiring = (condition: object): object => policy({ constraints: [{ name: 'c', require: [condition] }] });
const exception = (spec: object): object => ({
  ...{ apiVersion: 'portcullis.io/v1alpha1', kind: 'LoadBalancerException', metadata: { name: 'e' } },
  spec: {
    ...{ rule: 'target-port', object: { namespace: 'shop', name: 'web' }, owner: 'a', reason: 'b' },
    ...{ expires: '2027-01-01T00:00:00Z', ...spec },
  },
});
const aCase = { name: 'a', service: {}, expect: 'accepted' };
const test = (more: object): object => ({
  ...{ apiVersion: 'portcullis.io/v1alpha1', kind: 'PolicyTest', cases: [aCase] },
  ...more,
});
const LISTENERS = { quotas: [{ name: 'q', listeners: 1 }] };

const BAD: Readonly<Record<Kind, Readonly<Record<string, object>>>> = {
  LoadBalancerPolicy: {
    'without a spec': policy({}, { spec: undefined }),
    'of another version': policy(LISTENERS, { apiVersion: 'portcullis.io/v2' }),
    'without a name': policy(LISTENERS, { metadata: {} }),
    'with an unknown field': policy({ ...LISTENERS, constraint: [] }),
    'with an unknown rule': policy({ rules: [{ rule: 'target-prot' }] }),
    'with an unknown annotation': requiring({ annotation: 'adress-type', present: true }),
    'with an unknown mode': policy({ rules: [{ rule: 'target-port', mode: 'deny' }] }),
    'with a port as a number': requiring({ field: 'port', oneOf: [22] }),
    'with a value that is too great': requiring({ annotation: 'bandwidth', max: 1_000_001 }),
    'with an invalid date': policy({ rules: [{ rule: 'target-port', enforceAfter: 'tomorrow' }] }),
    'with an invalid name of a constraint': policy({ constraints: [{ name: 'No_ssh', require: [] }] }),
  },
  LoadBalancerException: {
    'without an owner': exception({ owner: undefined }),
    'without a reason': exception({ reason: '' }),
    'with an invalid date': exception({ expires: '2027-01-01' }),
    'for an object without a name': exception({ object: { namespace: 'shop' } }),
  },
  PolicyTest: {
    'without cases': test({ cases: [] }),
    'with an unknown field': test({ policy: 'a.yaml' }),
    'with a case without a name': test({ cases: [{ ...aCase, name: undefined }] }),
    'with a case without an expectation': test({ cases: [{ ...aCase, expect: undefined }] }),
    'with an unknown expectation': test({ cases: [{ ...aCase, expect: 'rejected' }] }),
    'with a rule that is no list': test({ cases: [{ ...aCase, expect: { denied: 'a' } }] }),
    'with an invalid time': test({ now: 'noon' }),
  },
};

/** An editor must not mark a file that the program accepts, and must mark misspelled fields. */
describe('the schemas for editors', () => {
  it('exist for every kind that users write, and for the cloud-config file', () =>
    assert.deepEqual(
      EDITOR_SCHEMAS.map(({ title }) => title),
      [...Object.keys(SHAPES), 'Cloud-config file'],
    ));

  it('accept every example of the repository and the documentation, as the program does', () => {
    const counts = Object.keys(SHAPES).map((kind) => examples.filter((example) => example.kind === kind).length);
    assert.ok(counts.every((count) => count >= 3));
    for (const { file, kind, object } of examples) {
      assert.deepEqual(errorsOf(kind, object), [], file);
      assert.equal(SHAPES[kind].safeParse(object).error, undefined, file);
    }
  });

  for (const [kind, rows] of Object.entries(BAD) as readonly [Kind, Readonly<Record<string, object>>][])
    for (const [title, object] of Object.entries(rows))
      it(`reject a ${kind} ${title}, as the program does`, () => {
        const written: unknown = JSON.parse(JSON.stringify(object));
        assert.notDeepEqual(errorsOf(kind, written), []);
        assert.notEqual(SHAPES[kind].safeParse(written).error, undefined);
      });

  it('are named in every file of the repository, by a path to the schema of its kind', () => {
    const named = FILES.flatMap((file) => {
      const lines = [...read(file).matchAll(/^# yaml-language-server: \$schema=(.+)$/gm)];
      return lines.map(([, path = '']) => {
        const { title } = JSON.parse(read(join(dirname(file), path))) as { readonly title: string };
        return `${file}: ${title}`;
      });
    });
    const wanted = examples.filter(({ file }) => FILES.includes(file)).map(({ file, kind }) => `${file}: ${kind}`);
    assert.deepEqual(named, wanted);
  });

  it('describe every field, so that editors show its meaning', () => {
    const missing: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'properties')
          for (const [name, property] of Object.entries(value as Record<string, { readonly description?: string }>))
            if (property.description === undefined) missing.push(`${path}.${name}`);
        visit(value, /^(?:properties|items|anyOf|\d+)$/.test(key) ? path : `${path}.${key}`);
      }
    };
    for (const { path } of EDITOR_SCHEMAS) visit(JSON.parse(read(path)), relative('docs/reference', path));
    assert.deepEqual(
      missing.filter((field) => !/\.(?:\$schema|Global|apiVersion|kind|metadata|matchLabels)$/.test(field)),
      [],
    );
  });
});

const GLOBALS: Readonly<Record<string, readonly [good: unknown, bad: unknown]>> = {
  clusterID: ['c1', ['c1']],
  region: ['cn-hangzhou', 'hangzhou'],
  vpcid: ['vpc-1', 'vsw-1'],
  vswitchid: ['cn-hangzhou-b:vsw-1, cn-hangzhou-c:vsw-2', 'vsw-1,'],
  resourceGroupID: ['rg-1', '1'],
  routeTableIDs: ['vtb-1,vtb-2', {}],
  disablePublicSLB: [true, 'maybe'],
  serviceBackendType: ['eni', 'pods'],
  serviceMaxConcurrentReconciles: [5, 0],
  featureGates: ['IPv6DualStack=true', true],
  accessKeyID: ['TFRBSQ==', 'not base64'],
};

/** Operators write the file by hand, and a mistake stops the controller. */
describe('the schema of the cloud-config file', () => {
  const errors = (config: unknown): readonly string[] => errorsOf('Cloud-config file', config);
  const programErrors = (config: unknown): string => {
    try {
      parseCloudConfig(JSON.stringify(config), 'cloud-config.conf');
      return '';
    } catch (error) {
      return String(error);
    }
  };

  it('accepts the example of an installation', () => {
    const example: unknown = parse(read('kustomize/example/cloud-config.conf').replaceAll('...', 'x'));
    assert.deepEqual([errors(example), programErrors(example)], [[], '']);
  });

  for (const [key, [good, bad]] of Object.entries(GLOBALS)) {
    const other = key === 'accessKeyID' ? { accessKeySecret: good } : {};
    it(`accepts and rejects values of ${key}, as the program does`, () => {
      const accepted = { Global: { ...other, [key]: good } };
      assert.deepEqual([errors(accepted), programErrors(accepted)], [[], '']);
      const rejected = { Global: { ...other, [key]: bad } };
      assert.notDeepEqual(errors(rejected), []);
      assert.match(programErrors(rejected), new RegExp(`Global\\.${key}: `));
    });
  }

  it('rejects an unknown key, as the program does', () => {
    const config = { Global: { vpcId: 'vpc-1', vpcids: 'vpc-1' } };
    assert.equal(errors(config).length, 2);
    assert.match(programErrors(config), /unknown key Global\.vpcids/);
  });

  it('accepts a file that names the schema', () => {
    const config = { $schema: '../schemas/cloud-config.schema.json', Global: {} };
    assert.deepEqual([errors(config), programErrors(config)], [[], '']);
  });
});
