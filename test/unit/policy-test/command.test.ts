import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../support/folder.ts';
import { aClb, aCloudInventory } from '../../support/inventory.ts';
import { anException, aPolicy } from '../../support/policy.ts';
import { aTerminal } from '../../support/terminal.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const annotated = (annotations: Readonly<Record<string, string>>) => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [KEY + name, value])),
  },
});
const SHOP = { namespaceSelector: { matchLabels: { team: 'shop' } } };
const PRIVATE = { name: 'private', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] };
const INTERNAL = aPolicy('internal', { match: SHOP, constraints: [PRIVATE] });
const RULE = 'policy/internal/private';
const test = (input: object): object => ({ apiVersion: 'portcullis.io/v1alpha1', kind: 'PolicyTest', ...input });
const documents = (...objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');
const one = (input: object, more: object = {}): object => test({ ...more, cases: [{ name: 'a case', ...input }] });

/** Platform teams test policies in a pipeline before they apply them. */
describe('portcullis policy test', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  async function run(...args: readonly string[]) {
    const terminal = aTerminal();
    const code = await terminal.run('policy', 'test', ...args);
    const short = (text: string): string => text.replaceAll(`${folder.path}/`, '');
    return { code, out: short(terminal.out()), err: short(terminal.err()) };
  }
  const tested = (text: string, ...flags: readonly string[]) => {
    writeFileSync(at('t.yaml'), text);
    return run(at('t.yaml'), ...flags);
  };

  it('reports an error in a policy a single time for all cases', async () => {
    const defaulted = { annotation: 'address-type', value: 'intranet', when: [{ annotation: 'id', present: true }] };
    const policy = aPolicy('internal', { defaults: [defaulted] });
    const cases = ['a', 'b'].map((name) => ({ name, service: {}, expect: 'accepted' }));
    const { code, err } = await tested(documents(policy, test({ cases })));
    assert.equal(code, 0);
    assert.equal(err.match(/warning: LoadBalancerPolicy internal: Conflicted: default of address-type: /g)?.length, 1);
  });

  const inShop = { namespaceLabels: { team: 'shop' } };
  const holds: Readonly<Record<string, readonly object[]>> = {
    'a denial by a named rule': [INTERNAL, one({ ...inShop, service: {}, expect: { denied: [RULE] } })],
    'a denial by any rule': [INTERNAL, one({ ...inShop, service: {}, expect: 'denied' })],
    'acceptance in another namespace': [INTERNAL, one({ service: {}, expect: 'accepted' })],
    'a denial in a namespace whose labels the test sets for all cases': [
      INTERNAL,
      one({ service: {}, expect: { denied: [RULE] } }, { namespaces: { default: { team: 'shop' } } }),
    ],
    'a warning before a date, and a denial after it': [
      aPolicy('internal', { constraints: [{ ...PRIVATE, enforceAfter: '2026-12-01T00:00:00Z' }] }),
      test({
        now: '2026-11-30T00:00:00Z',
        cases: [
          { name: 'before', service: {}, expect: { warned: [RULE] } },
          { name: 'after', now: '2026-12-01T00:00:00Z', service: {}, expect: { denied: [RULE], warned: [] } },
        ],
      }),
    ],
    'an exception until it expires': [
      INTERNAL,
      anException('web', {
        rule: RULE,
        object: { namespace: 'default', name: 'web' },
        expires: '2026-12-01T00:00:00Z',
      }),
      test({
        namespaces: { default: { team: 'shop' } },
        cases: [
          { name: 'in force', now: '2026-11-30T00:00:00Z', service: {}, expect: { warned: [RULE] } },
          { name: 'over', now: '2026-12-01T00:00:00Z', service: {}, expect: { denied: [RULE] } },
        ],
      }),
    ],
    'a default that satisfies a constraint': [
      aPolicy('given', { defaults: [{ annotation: 'address-type', value: 'intranet' }], constraints: [PRIVATE] }),
      one({ service: {}, expect: { defaults: { 'address-type': 'intranet' } } }),
    ],
    'a stored violation as a warning': [
      INTERNAL,
      one({ ...inShop, stored: {}, service: annotated({ name: 'shop-web' }), expect: { warned: [RULE] } }),
    ],
    'a denial by a quota that existing Services use up': [
      aPolicy('few', { quotas: [{ name: 'two', per: 'namespace', loadBalancers: 2 }] }),
      one(
        { service: {}, expect: { denied: ['policy/few/two'] } },
        { services: ['a', 'b'].map((name) => ({ metadata: { name } })) },
      ),
    ],
    'a result that depends on the tags of a reused load balancer': [
      aPolicy('reuse', {
        constraints: [
          {
            name: 'shared',
            when: [{ annotation: 'id', present: true }],
            require: [{ reusedTag: 'shared', present: true }],
          },
        ],
      }),
      aCloudInventory({ observedAt: '2026-11-01T00:00:00Z' }),
      aClb('lb-1', { owner: 'user', tags: [{ key: 'shared', value: 'all' }] }),
      aClb('lb-2', { owner: 'user', tags: [] }),
      test({
        now: '2026-11-01T00:00:30Z',
        cases: [
          { name: 'with it', service: annotated({ id: 'lb-1' }), expect: 'accepted' },
          { name: 'without it', service: annotated({ id: 'lb-2' }), expect: { denied: ['policy/reuse/shared'] } },
        ],
      }),
    ],
  };
  for (const [title, objects] of Object.entries(holds)) {
    it(`can expect ${title}`, async () => {
      const { code, out, err } = await tested(documents(...objects));
      assert.equal(code, 0, out + err);
      assert.match(err, /0 failed\n$/);
    });
  }

  it('reads a policy file that the test names by a relative path', async () => {
    mkdirSync(at('cases'));
    writeFileSync(at('policies.yaml'), documents(INTERNAL));
    writeFileSync(
      at('cases/t.yaml'),
      documents(one({ ...inShop, service: {}, expect: 'denied' }, { policies: ['../policies.yaml'] })),
    );
    assert.equal((await run(at('cases'))).code, 0);
  });

  describe('with policies, exceptions and tests in separate files', () => {
    const STRICT = aPolicy('strict', { constraints: [PRIVATE] });
    const EXEMPT = anException('web', {
      rule: RULE,
      object: { namespace: 'default', name: 'web' },
      expires: '2099-01-01T00:00:00Z',
    });
    const inFiles = (files: Readonly<Record<string, readonly object[]>>): void => {
      for (const [name, objects] of Object.entries(files)) {
        mkdirSync(dirname(at(name)), { recursive: true });
        writeFileSync(at(name), documents(...objects));
      }
    };

    it('applies all policies and exceptions of the folder to a test that names none', async () => {
      const expect = { denied: ['policy/strict/private'], warned: [RULE] };
      const files = { 'a/t.yaml': [one({ ...inShop, service: {}, expect })], 'a/strict.yaml': [STRICT] };
      inFiles({ ...files, 'a/internal.yaml': [INTERNAL], 'a/web.yaml': [EXEMPT] });
      const { code, out, err } = await run(at('a'));
      assert.deepEqual([code, err], [0, '1 case: 1 passed, 0 failed\n'], out);
    });

    it('reads subfolders with -R, and names the flag if no test is found without it', async () => {
      const denied = one({ ...inShop, service: {}, expect: { denied: [RULE] } });
      inFiles({ 'a/internal.yaml': [INTERNAL], 'a/tests/t.yaml': [denied] });
      assert.equal((await run('-R', at('a'))).code, 0);
      const { code, err } = await run(at('a'));
      assert.deepEqual([code, err], [2, 'error: a: no PolicyTest found: -R includes subfolders\n']);
    });

    it('applies only the files and folders that a test names, relative to the test', async () => {
      const denied = { ...inShop, service: {}, expect: { denied: [RULE] } };
      inFiles({ 'a/internal.yaml': [INTERNAL], 'a/b/strict.yaml': [STRICT] });
      inFiles({ 'a/tests/t.yaml': [one(denied, { policies: ['../internal.yaml'] })] });
      inFiles({ 'a/tests/u.yaml': [one(denied, { policies: ['..'] })] });
      assert.equal((await run('-R', at('a'))).code, 0);
      assert.equal((await run(at('a/tests'))).code, 0);
    });

    it('reads a file that is named twice only once', async () => {
      inFiles({ 'a/t.yaml': [INTERNAL, one({ ...inShop, service: {}, expect: 'denied' })] });
      assert.match((await run(at('a'), at('a/../a/t.yaml'))).err, /^1 case: 1 passed/);
    });

    const bad: Readonly<
      Record<string, readonly [files: Readonly<Record<string, readonly object[]>>, message: RegExp]>
    > = {
      'two policies of one name': [
        { 'a/one.yaml': [INTERNAL], 'a/two.yaml': [INTERNAL, one({ service: {}, expect: 'denied' })] },
        /^error: a\/two\.yaml:\d+:3: LoadBalancerPolicy internal: metadata\.name: Duplicate value: "internal": already used at .*a\/one\.yaml:4\n$/,
      ],
      'an invalid policy that no test names': [
        {
          'a/bad.yaml': [aPolicy('bad', {})],
          'a/t.yaml': [INTERNAL, one({ service: {}, expect: 'accepted' }, { policies: ['t.yaml'] })],
        },
        /^error: a\/bad\.yaml:\d+:1: LoadBalancerPolicy bad: spec: /,
      ],
      'a test that finds no policy': [
        { 'a/t.yaml': [one({ service: {}, expect: 'denied' })] },
        /^error: a\/t\.yaml:1:1: PolicyTest: no LoadBalancerPolicy found for the test: name its file in the command, or in the field policies\n$/,
      ],
      'a test that names a file without a policy': [
        { 'a/n.yaml': [{}], 'a/t.yaml': [INTERNAL, one({ service: {}, expect: 'denied' }, { policies: ['n.yaml'] })] },
        /^error: a\/t\.yaml:\d+:1: PolicyTest: policies: no LoadBalancerPolicy found in n\.yaml\n$/,
      ],
      'a folder without manifests': [{ 'a/notes.txt': [] }, /^error: a contains no \.yaml, \.yml or \.json file: -R /],
    };
    for (const [title, [files, message]] of Object.entries(bad)) {
      it(`answers ${title} with exit code 2`, async () => {
        inFiles(files);
        const { code, out, err } = await run(at('a'));
        assert.deepEqual([code, out], [2, '']);
        assert.match(err, message);
      });
    }
  });

  it('reports the expected and the actual result of a failed case, with the messages', async () => {
    const { code, out, err } = await tested(documents(INTERNAL, one({ ...inShop, service: {}, expect: 'accepted' })));
    assert.equal(code, 1);
    const [first = '', place = '', difference = '', message = ''] = out.split('\n').map((line) => line.trim());
    assert.equal(first, 'FAILED  t.yaml: a case');
    assert.match(place, /^t\.yaml:\d+$/);
    assert.equal(difference, `denied by: expected nothing, found ${RULE}`);
    assert.match(
      message,
      /^denied metadata\.annotations\[.*address-type\]: Required value: must be intranet; the default is internet \[/,
    );
    assert.equal(err, '1 case: 0 passed, 1 failed\n');
  });

  it('reports the results to build servers as JUnit XML, for any name of a case', async () => {
    const cases = [
      { name: 'a "<good>" & one', service: {}, expect: 'accepted' },
      { name: 'a bad one', service: {}, expect: 'denied' },
    ];
    const { code, out } = await tested(documents(INTERNAL, test({ metadata: { name: 'shop' }, cases })), '-o', 'junit');
    assert.equal(code, 1);
    assert.match(
      out,
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="2" failures="1">\n {2}<testsuite name="shop" tests="2" failures="1">/,
    );
    assert.ok(out.includes('name="a &quot;&lt;good&gt;&quot; &amp; one"'));
    assert.ok(out.includes('<failure message="denied by: expected any rule, found nothing">'));
    const strange = [{ ...cases[0], name: 'a \uFFFE \uFFFF one' }];
    const { out: clean } = await tested(documents(INTERNAL, test({ cases: strange })), '-o', 'junit');
    assert.ok(clean.includes('name="a \uFFFD \uFFFD one"'), 'characters that XML does not allow are replaced');
    const json = await tested(documents(INTERNAL, test({ cases })), '-o', 'json');
    assert.deepEqual((JSON.parse(json.out) as { summary: object }).summary, { cases: 2, passed: 1, failed: 1 });
  });

  const misuse: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
    'a file without a test': [documents(INTERNAL), /: no PolicyTest found$/],
    'a test without a policy': [
      documents(one({ service: {}, expect: 'accepted' })),
      /:1:1: PolicyTest: no LoadBalancerPolicy found for the test: /,
    ],
    'an unreadable policy': [
      documents(aPolicy('p', {}), one({ service: {}, expect: 'accepted' })),
      /^error: t\.yaml:\d+:\d+: LoadBalancerPolicy p: spec: a policy must have at least one of/,
    ],
    'an unknown expectation': [
      documents(INTERNAL, one({ service: {}, expect: 'rejected' })),
      /cases\[0\]\.expect: Invalid value: "rejected": must be accepted, denied, or a map/,
    ],
    'an unknown field': [documents(INTERNAL, one({ servce: {}, expect: 'denied' })), /cases\[0\].*servce/s],
    'an invalid Service': [
      documents(INTERNAL, one({ service: { spec: { ports: 'http' } }, expect: 'denied' })),
      /cases\[0\]\.service\.spec\.ports: Invalid value: "http": must be a list$/,
    ],
    'a missing policy file': [
      documents(one({ service: {}, expect: 'denied' }, { policies: ['gone.yaml'] })),
      /failed to read .*gone\.yaml: file or folder not found/,
    ],
  };
  for (const [title, [text, message]] of Object.entries(misuse)) {
    it(`answers ${title} with exit code 2`, async () => {
      const { code, out, err } = await tested(text);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err.trimEnd(), message);
    });
  }
});
