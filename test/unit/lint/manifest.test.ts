import assert from 'node:assert/strict';
import { readManifests } from '../../../src/lint/manifest.ts';

const read = (text: string) => readManifests(text, (apiVersion, kind) => apiVersion === 'v1' && kind === 'Service');
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n';

/** Returns the names of the parsed objects, and the unreadable parts as `line:column what`. */
function summaryOf(text: string): { readonly names: readonly unknown[]; readonly unreadable: readonly string[] } {
  const { manifests, unreadable } = read(text);
  return {
    names: manifests.map(({ object }) => (object as { metadata: { name?: unknown } }).metadata.name),
    unreadable: unreadable.map(({ range: place, what }) => `${place.line}:${place.column} ${what}`),
  };
}

const list = (kind: string, items: readonly object[], apiVersion = 'v1'): string =>
  JSON.stringify({ apiVersion, kind, items });
const service = (name: string): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name } });

const readable: Readonly<Record<string, readonly [text: string, names: readonly string[]]>> = {
  'nothing in an empty file': ['', []],
  'nothing in a file with only a byte order mark': ['\uFEFF', []],
  'nothing in comments and separators': ['# nothing\n---\n---\n# here\n', []],
  'nothing in a YAML list': ['- 1\n- 2\n', []],
  'a single document': [SERVICE, ['web']],
  'several documents': [`${SERVICE}---\n${SERVICE.replace('web', 'api')}`, ['web', 'api']],
  'a file with a byte order mark': [`\uFEFF${SERVICE}`, ['web']],
  'Windows line ends': [SERVICE.replaceAll('\n', '\r\n'), ['web']],
  'JSON with tabs as indentation': [JSON.stringify(service('web'), undefined, '\t'), ['web']],
  'the items of a List': [list('List', [service('a'), service('b')]), ['a', 'b']],
  'the items of a List in a List': [list('List', [JSON.parse(list('List', [service('a')])) as object]), ['a']],
  'the items of a typed list without their kind': [list('ServiceList', [{ metadata: { name: 'a' } }]), ['a']],
  'no item of a typed list of another group': [
    list('ServiceList', [{ metadata: { name: 'a' } }], 'serving.knative.dev/v1'),
    [],
  ],
  'no item of a typed list with only an apiVersion or only a kind, which kubectl rejects': [
    list('ServiceList', [
      { apiVersion: 'v1', metadata: {} },
      { kind: 'Service', metadata: {} },
    ]),
    [],
  ],
  'nothing in an empty List': [list('List', []), []],
  'no object of another kind': [`${SERVICE.replace('Service', 'ConfigMap')}---\n${SERVICE}`, ['web']],
  'no object of another group with the kind Service': [SERVICE.replace('v1', 'serving.knative.dev/v1'), []],
  'a Service whose metadata is an alias': ['apiVersion: v1\nkind: Service\nx: &m {name: web}\nmetadata: *m\n', ['web']],
  'a Service with braces within quotes, which is no template': [`${SERVICE}  annotations: {a: "{{ x }}"}\n`, ['web']],
  'a Service whose kind is an alias': ['x: &k Service\napiVersion: v1\nkind: *k\nmetadata: {name: web}\n', ['web']],
  'an item with another item merged in': [
    `apiVersion: v1\nkind: List\nitems:\n- &web ${JSON.stringify(service('web'))}\n- <<: *web\n  metadata: {name: api}\n`,
    ['web', 'api'],
  ],
  'a repeated alias item once': [
    `apiVersion: v1\nkind: List\nitems:\n- &web ${JSON.stringify(service('web'))}\n- *web\n`,
    ['web'],
  ],
  'an item that is an alias of an anchor outside the List': [
    `x: &web ${JSON.stringify(service('web'))}\napiVersion: v1\nkind: List\nitems:\n- *web\n`,
    ['web'],
  ],
  'the items of a List whose list of items is an alias': [
    `x: &all [${JSON.stringify(service('web'))}]\napiVersion: v1\nkind: List\nitems: *all\n`,
    ['web'],
  ],
  'a Service with a merged map': ['apiVersion: v1\nkind: Service\nmetadata:\n  <<: {name: web}\n', ['web']],
};

const TEMPLATE =
  'the file is a template: render the template first, for example with helm template shop ./chart | portcullis lint -';

const unreadable: Readonly<Record<string, readonly [text: string, unreadable: string, names?: readonly string[]]>> = {
  'a list without an end': ['a: 1\nb: [', '2:5 the preceding { or [ is not closed'],
  'a tab as indentation': ['a:\n\tb: 1\n', '2:1 the line is indented with a tab: use spaces'],
  'a repeated key, and reads the rest': [
    `${SERVICE}metadata:\n  name: api\n`,
    '5:1 the key is repeated, and its earlier value is lost',
    ['api'],
  ],
  'a single document, and reads the other documents': [
    `a: [\n---\n${SERVICE}`,
    '2:1 the preceding { or [ is not closed',
    ['web'],
  ],
  'an alias without an anchor': [
    'apiVersion: v1\nkind: Service\nmetadata: *nothing\n',
    '3:11 the alias has no preceding anchor',
  ],
  'an alias without an anchor as an item': [
    'apiVersion: v1\nkind: List\nitems:\n- *nobody\n',
    '4:3 the alias has no preceding anchor',
  ],
  'an alias without an anchor in an object of another kind, as kubectl does': [
    'apiVersion: v1\nkind: ConfigMap\ndata: *nothing\n',
    '3:7 the alias has no preceding anchor',
  ],
  'an alias before its anchor': [
    'apiVersion: v1\nkind: Service\nmetadata: *later\nx: &later {name: web}\n',
    '3:11 the alias has no preceding anchor',
  ],
  'a merged alias without an anchor, because anchors end with their document': [
    `${SERVICE}  labels: &one {a: b}\n---\napiVersion: v1\nkind: Service\nmetadata:\n  <<: *one\n`,
    '10:7 the alias has no preceding anchor',
    ['web'],
  ],
  'merged text': [`${SERVICE}  labels:\n    <<: words\n`, '6:9 only a map or a list of maps can be merged'],
  'a merged list of texts': [
    `${SERVICE}  labels:\n    <<: [words]\n`,
    '6:9 only a map or a list of maps can be merged',
  ],
  'quoted text without an end': ['a: "x\nb: y\n', '3:1 a text that begins with " is not closed'],
  'a colon inside a value': [
    'a: b: c\n',
    '1:4 a map begins within a value: quote the value if it contains ": ", or align the next line',
  ],
  'a line with too little indentation': [
    'a:\n    b: 1\n  c: 2\n',
    '3:1 the indentation differs from that of the related lines: align the lines',
  ],
  'a key without its colon': ['a\nb: c\n', '1:1 the colon after the key is missing: write "key: value" on one line'],
  'plain words': ['# here\n\njust words\n', '3:1 expected an object with apiVersion and kind, found text'],
  'a character that needs quotes': ['a: @b\n', '1:4 a text with this first character needs quotation marks'],
  'marks of a merge conflict': [
    'a: b\n<<<<<<< HEAD\nc: d\n=======\n',
    '2:1 merge conflict: keep one version, and remove the conflict markers',
  ],
  'a template that is not YAML': [`{{- if .x }}\n${SERVICE}{{- end }}\n`, `1:1 ${TEMPLATE}`],
  'a template in a text': [SERVICE.replace('name: web', 'name: {{ .x }}-web'), `4:9 ${TEMPLATE}`],
  'a template that reads as a map': [SERVICE.replace('name: web', 'name: {{ .x }}'), `4:9 ${TEMPLATE}`],
  'extremely deep nesting': ['['.repeat(1_500), '1:805 the nesting is too deep'],
};

/** Users write YAML in many forms, and an object that is not read would not be checked. */
describe('the manifest reader', () => {
  for (const [title, [text, names]] of Object.entries(readable)) {
    it(`finds ${title}`, () => assert.deepEqual(summaryOf(text), { names, unreadable: [] }));
  }

  for (const [title, [text, finding, names = []]] of Object.entries(unreadable)) {
    it(`locates ${title}`, () => {
      const found = summaryOf(text);
      assert.deepEqual(found.names, names);
      assert.equal(found.unreadable[0]?.replace(/^1:\d+ (?=the nesting)/, '1:805 '), finding);
    });
  }

  it('rejects aliases that multiply', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...['b', 'c', 'd'].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abc'[at]}`).join()}]`),
    ];
    const { names, unreadable: finding } = summaryOf(`${SERVICE}${bomb.join('\n')}\n`);
    assert.deepEqual([names, finding], [[], ['1:1 excessive alias count indicates a resource exhaustion attack']]);
  });

  it('reads Lists of repeated aliases once', () => {
    const lists = ['b', 'c', 'd', 'e', 'f', 'g', 'h'].map(
      (key, at) => `${key}: &${key} {kind: List, items: [${Array(9).fill(`*${'abcdefg'[at]}`).join()}]}`,
    );
    const text = `a: &a ${JSON.stringify(service('web'))}\n${lists.join('\n')}\nkind: List\nitems: [*h]\n`;
    assert.deepEqual(summaryOf(text), { names: ['web'], unreadable: [] });
  });

  it('reads an unquoted on as a boolean, as kubectl does, and an unquoted 80:53 as text', () => {
    const [manifest] = read(`${SERVICE}a: on\nb: 80:53\nc: 2026-01-02\n`).manifests;
    const { a, b, c } = manifest?.object as Readonly<Record<string, unknown>>;
    assert.deepEqual([a, b, c], [true, '80:53', '2026-01-02']);
  });

  it('adds the apiVersion and the kind of a typed list to an item without both, as kubectl does', () => {
    const [manifest] = read(list('ServiceList', [{ metadata: { name: 'a' } }])).manifests;
    assert.deepEqual(manifest?.object, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } });
  });

  it('treats a key called __proto__ as data', () => {
    const [manifest] = read(`${SERVICE}__proto__: {polluted: true}\n`).manifests;
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    assert.equal(Object.hasOwn(manifest?.object as object, '__proto__'), true);
  });
});

describe('the position of a field', () => {
  const TEXT = `# first
apiVersion: v1
kind: Service
metadata:
  annotations: &all
    example.com/a: "1"
    example.com/b: >
      long
  labels: *all
spec:
  ports:
    - port: 80
    - {port: 443, targetPort: https}
  <<: {type: LoadBalancer}
`;
  const places: Readonly<Record<string, readonly [place: string, text: string]>> = {
    'metadata.annotations[example.com/a]': ['6:5', 'example.com/a: "1"'],
    'metadata.annotations[example.com/b]': ['7:5', 'example.com/b: >\n      long'],
    'metadata.annotations[example.com/c]': ['5:3', 'annotations: &all'],
    'metadata.labels[example.com/a]': ['6:5', 'example.com/a: "1"'],
    'spec.ports[0].port': ['12:7', 'port: 80'],
    'spec.ports[1].targetPort': ['13:19', 'targetPort: https'],
    'spec.ports[1]': ['13:7', '{port: 443, targetPort: https}'],
    'spec.ports[0].targetPort': ['12:7', 'port: 80'],
    'spec.ports[2].port': ['11:3', 'ports:'],
    'spec.type': ['14:8', 'type: LoadBalancer'],
    'status.loadBalancer': ['2:1', 'apiVersion: v1'],
    '': ['2:1', 'apiVersion: v1'],
  };
  /** With Windows line endings or a byte order mark, every line and column stays the same. */
  for (const [how, text] of Object.entries({
    'with Unix line ends': TEXT,
    'with Windows line ends': `\uFEFF${TEXT.replaceAll('\n', '\r\n')}`,
  })) {
    for (const [path, [place, piece]] of Object.entries(places)) {
      it(`${path === '' ? 'the object itself' : path} is found, ${how}`, () => {
        const { line, column, endLine, endColumn } = read(text).manifests[0]!.locate(path);
        const lines = TEXT.split('\n').slice(line - 1, endLine);
        const cut = lines.map((each, at) =>
          each.slice(at === 0 ? column - 1 : 0, at === lines.length - 1 ? endColumn - 1 : undefined),
        );
        assert.deepEqual([`${line}:${column}`, cut.join('\n')], [place, piece]);
      });
    }
  }

  it('is the position of the last of two equal keys, which has effect', () => {
    const [manifest] = read(`${SERVICE}spec: {type: ClusterIP}\nspec: {type: LoadBalancer}\n`).manifests;
    assert.equal(manifest?.locate('spec.type').line, 6);
    assert.equal(manifest.source('spec.type'), 'LoadBalancer');
  });
});
