import assert from 'node:assert/strict';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import { CHECKS } from '../../../src/lint/lint-check-docs.ts';
import { reportGithub } from '../../../src/lint/github.ts';
import { reportGitlab } from '../../../src/lint/gitlab.ts';
import { reportJson } from '../../../src/lint/json.ts';
import { lint } from '../../../src/lint/lint.ts';
import { reportSarif } from '../../../src/lint/sarif.ts';
import { findingLine, summary } from '../../../src/lint/text.ts';
import { manifestText } from '../../support/manifest-text.ts';

const PLAIN = { strong: String, error: String, warning: String, note: String };
const report = (text: string, name = 'web.yaml') => lint([{ name, text }], { namespace: 'shop' });
const lines = (text: string, name?: string): readonly string[] =>
  report(text, name).findings.map((finding) => findingLine(finding, PLAIN));

const BAD = manifestText({ annotations: { bandwidth: '"9000"', 'zone-maps': 'a:b' } });
const MESSAGE = 'Invalid value: "9000": must be a whole number from 1 to 5120 (Mbit/s) [annotation-value]';
const FIELD = 'metadata.annotations[service.beta.kubernetes.io/alibaba-cloud-loadbalancer-bandwidth]';

/** Editors, pipelines and code scanners read these formats. */
describe('findings as text', () => {
  it('are one line each, in the form of compilers', () => {
    assert.equal(lines(BAD)[0], `web.yaml:6:5: error: Service shop/web: ${FIELD}: ${MESSAGE}`);
  });

  it('of an unreadable file have no object', () => {
    assert.deepEqual(lines('a: "b'), [
      'web.yaml:1:6: error: a text that begins with " is not closed [manifest-syntax]',
    ]);
  });

  it('of an unreadable file contain no control characters', () => {
    assert.match(summary(report('a: [', 'x\u001b[2J.yaml')), /^[ -~\n]+$/);
  });

  it('contain no control characters from file names or content', () => {
    const text = manifestText({ name: '"a\\e[2Jb"', annotations: { bandwidth: '"\\u202e9"' } });
    for (const line of lines(text, 'x\u001b[2J.yaml')) assert.match(line, /^[ -~]+$/);
  });

  const counts: Readonly<Record<string, readonly [text: string, summary: string]>> = {
    'clean objects': [manifestText(), '1 Service and 0 Nodes in 1 file: 0 errors, 0 warnings'],
    'denied objects': [BAD, 'would be denied: Service shop/web\n1 Service and 0 Nodes in 1 file: 1 error, 1 warning'],
    'unreadable files': [
      `${BAD}---\na: [`,
      'error: not completely evaluated: web.yaml\nwould be denied: Service shop/web\n1 Service and 0 Nodes in 1 file: 2 errors, 1 warning',
    ],
    'skipped objects': [
      manifestText({ annotations: { id: 'lb-1' } }),
      '1 Service and 0 Nodes in 1 file: 0 errors, 0 warnings\nreused load balancers of 1 Service not checked: set --facts',
    ],
  };
  for (const [title, [text, expected]] of Object.entries(counts)) {
    it(`sum up ${title}`, () => assert.equal(summary(report(text)), expected));
  }

  it('sum up objects that are skipped without an inventory', () => {
    const finding = summary({ ...report(manifestText({ annotations: { id: 'lb-1' } })), hasFacts: true });
    assert.match(finding, /\nreused load balancers of 1 Service not checked: the facts contain no CloudInventory/);
  });

  it('sum up the first names of many denied objects, and the number of the rest', () => {
    const many = Array.from({ length: 12 }, (_, at) => BAD.replace('name: web', `name: web${at}`)).join('---\n');
    assert.match(summary(report(many)), /Service shop\/web9 and 2 more\n/);
  });
});

describe('findings as JSON', () => {
  it('have every part as a field', () => {
    const { findings, denied, unread, summary: sum } = JSON.parse(reportJson(report(BAD))) as Record<string, unknown>;
    const place = { line: 6, column: 5, endLine: 6, endColumn: 76 };
    const first = {
      file: 'web.yaml',
      object: 'Service shop/web',
      level: 'error',
      rule: 'annotation-value',
      field: FIELD,
      reason: 'FieldValueInvalid',
      value: '9000',
      message: MESSAGE,
    };
    assert.deepEqual((findings as readonly unknown[])[0], { ...first, ...place });
    assert.deepEqual(denied, ['Service shop/web']);
    assert.deepEqual(unread, []);
    assert.deepEqual(sum, { files: 1, services: 1, nodes: 0, errors: 1, warnings: 1 });
  });
});

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: object; readonly region: object };
      }[];
      readonly partialFingerprints: Readonly<Record<string, string>>;
      readonly properties?: Readonly<Record<string, string>>;
    }[];
  }[];
}

describe('findings as SARIF', () => {
  const sarif = (text: string, name?: string): Sarif['runs'][number] => {
    const { version, runs } = JSON.parse(reportSarif(report(text, name))) as Sarif;
    assert.deepEqual([version, runs.length], ['2.1.0', 1]);
    return runs[0]!;
  };

  it('have their position in the file', () => {
    const [first, second] = sarif(BAD).results;
    assert.deepEqual(first?.locations[0]?.physicalLocation, {
      artifactLocation: { uri: 'web.yaml' },
      region: { startLine: 6, startColumn: 5, endLine: 6, endColumn: 76 },
    });
    assert.deepEqual([first.level, second?.level], ['error', 'warning']);
    assert.equal(first.message.text, `Service shop/web: ${FIELD}: ${MESSAGE}`);
  });

  it('refer to their rule, and every rule is described', () => {
    const { tool, results } = sarif(`${BAD}---\na: [`);
    const ids = tool.driver.rules.map(({ id }) => id);
    assert.deepEqual(
      ids.toSorted(),
      [...Object.values(CHECKS), ...SERVICE_RULES, ...NODE_RULES].map(({ name }) => name).sort(),
    );
    for (const { ruleId, ruleIndex } of results) assert.equal(ids[ruleIndex], ruleId);
  });

  it('have the reason of the field error, unless they have no field', () => {
    assert.deepEqual(sarif(BAD).results[0]?.properties, { reason: 'FieldValueInvalid' });
    assert.equal(sarif('a: [').results[0]?.properties, undefined);
  });

  const names = { 'a b/ü#.yaml': 'a%20b/%C3%BC%23.yaml', '/tmp/a b.yaml': 'file:///tmp/a%20b.yaml' };
  for (const [name, uri] of Object.entries(names)) {
    it(`write ${name} as a URI`, () => {
      assert.deepEqual(sarif(BAD, name).results[0]?.locations[0]?.physicalLocation.artifactLocation, { uri });
    });
  }

  it('keep their fingerprint if lines move, and get another if the value changes', () => {
    const print = (text: string): string | undefined => sarif(text).results[0]?.partialFingerprints['portcullis/v1'];
    assert.equal(print(`# moved\n${BAD}`), print(BAD));
    assert.notEqual(print(BAD.replace('9000', '9001')), print(BAD));
  });
});

/** GitHub parses each line, so a value that is not escaped would change another annotation. */
describe('findings as workflow commands of GitHub', () => {
  const annotations = (text: string, name?: string): readonly string[] =>
    reportGithub(report(text, name)).trimEnd().split('\n');

  it('have their level, their position, their rule and their message', () => {
    const [first, second = ''] = annotations(BAD);
    assert.equal(
      first,
      `::error file=web.yaml,line=6,endLine=6,col=5,endColumn=76,title=annotation-value::Service shop/web: ${FIELD}: ${MESSAGE}`,
    );
    assert.match(second, /^::warning file=web\.yaml,line=7,/);
  });

  it('have no columns if they span several lines, because GitHub accepts none', () => {
    const [first = ''] = annotations(manifestText({ annotations: { spec: '\n      a: 1\n      b: 2' } }));
    assert.match(first, /^::error file=web\.yaml,line=6,endLine=8,title=field-type::/);
  });

  for (const [name, file] of Object.entries({
    './web.yaml': 'web.yaml',
    'a,b:c%.yaml': 'a%2Cb%3Ac%25.yaml',
    'a\n::error::b.yaml': 'a\\u000a%3A%3Aerror%3A%3Ab.yaml',
  }))
    it(`keep the file ${JSON.stringify(name)} in its property`, () => {
      const [first = '', ...others] = annotations('a: [', name);
      assert.deepEqual(others, []);
      assert.ok(first.startsWith(`::error file=${file},line=1,`), first);
    });

  it('escape the message', () => {
    const [first = ''] = annotations(manifestText({ annotations: { bandwidth: '"5%\\n::error::x"' } }));
    assert.match(first, /Invalid value: "5%25\\n::error::x"/);
  });

  it('are empty without findings', () => assert.equal(reportGithub(report(manifestText())), ''));
});

/** GitLab ignores a report that lacks a field. */
describe('findings as a code quality report of GitLab', () => {
  const issues = (text: string, name?: string): readonly Readonly<Record<string, unknown>>[] =>
    JSON.parse(reportGitlab(report(text, name))) as readonly Readonly<Record<string, unknown>>[];

  it('have the fields that GitLab requires', () => {
    const [first, second] = issues(BAD, './deploy/web.yaml');
    const { fingerprint, ...fields } = first ?? {};
    assert.match(String(fingerprint), /^[0-9a-f]{32}$/);
    assert.deepEqual(fields, {
      description: `Service shop/web: ${FIELD}: ${MESSAGE}`,
      check_name: 'annotation-value',
      severity: 'major',
      location: { path: 'deploy/web.yaml', lines: { begin: 6, end: 6 } },
    });
    assert.equal(second?.['severity'], 'minor');
  });

  it('are an empty list without findings', () => assert.deepEqual(issues(manifestText()), []));
});
