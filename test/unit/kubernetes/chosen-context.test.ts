import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasReason } from '../../../src/base/errors.ts';
import { chosenContext, type ContextFlags } from '../../../src/kubernetes/chosen-context.ts';
import { temporaryFolder } from '../../support/folder.ts';

const config = (current: string, contexts: Readonly<Record<string, string | undefined>>): string =>
  JSON.stringify({
    'current-context': current,
    contexts: Object.entries(contexts).map(([name, namespace]) => ({ name, context: { cluster: 'c', namespace } })),
  });

/** The content by file. `home/.kube/config` is the default of kubectl. */
const FILES = {
  'home/.kube/config': config('home', { home: undefined }),
  work: config('office', { office: 'shop', lab: undefined }),
  more: config('remote', { remote: 'stage' }),
  idle: config('', { idle: undefined }),
};

interface ContextInput {
  readonly input?: ContextFlags;
  /** Files that `KUBECONFIG` lists. */
  readonly listed?: readonly string[];
  /** Home folder. Defaults to `home`. */
  readonly home?: string;
}

interface Row extends ContextInput {
  /** Expected result `file context namespace`. */
  readonly chosen: string;
}

const rows: Readonly<Record<string, Row>> = {
  'is the current context of the file in the home folder': { chosen: 'home/.kube/config home default' },
  'is the current context of the file in KUBECONFIG': { listed: ['work'], chosen: 'work office shop' },
  'is read from the home folder if KUBECONFIG is empty': { listed: [''], chosen: 'home/.kube/config home default' },
  'is the first current context of several files': { listed: ['idle', 'work', 'more'], chosen: 'work office shop' },
  'is found in any of the files': {
    input: { context: 'remote' },
    listed: ['work', 'more'],
    chosen: 'more remote stage',
  },
  'ignores missing files of a list': { listed: ['gone', 'more'], chosen: 'more remote stage' },
  'is in the named file, whatever other files exist': {
    input: { kubeconfig: 'work', context: 'lab' },
    listed: ['more'],
    chosen: 'work lab default',
  },
};

const rejections: Readonly<Record<string, ContextInput & { readonly message: RegExp }>> = {
  'a context that no file has; the error lists the existing contexts': {
    input: { context: 'lost' },
    listed: ['work', 'more'],
    message:
      /^no context "lost" in .*work, .*more; the contexts are: office, lab, remote; choose a context with --context$/,
  },
  'files without a current context': {
    listed: ['idle'],
    message: /^no current context in .*idle; the contexts are: idle;/,
  },
  'a list of missing files': {
    listed: ['gone', 'lost'],
    message:
      /^no file in KUBECONFIG exists: .*gone, .*lost; correct the variable, or unset the variable to use the kubeconfig of the home folder$/,
  },
  'a context without a file': {
    input: { context: 'office' },
    home: 'nobody',
    message: /^no context "office" in any kubeconfig file; the contexts are: none/,
  },
  'a named file that does not exist': {
    input: { kubeconfig: 'gone' },
    message: /^failed to read the kubeconfig file ".*gone"/,
  },
};

/** The commands must select the same cluster as kubectl, because users would not expect a plan for another cluster. */
describe('the context of a cluster', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  before(() => {
    folder = temporaryFolder();
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text);
    }
  });
  after(() => folder[Symbol.dispose]());

  const at = (name: string): string => join(folder.path, name);
  const choose = ({ input = {}, listed, home = 'home' }: ContextInput) =>
    chosenContext(
      { ...input, ...(input.kubeconfig === undefined ? {} : { kubeconfig: at(input.kubeconfig) }) },
      {
        HOME: at(home),
        ...(listed === undefined ? {} : { KUBECONFIG: listed.map((name) => (name === '' ? '' : at(name))).join(':') }),
      },
    );

  for (const [title, row] of Object.entries(rows)) {
    it(title, async () => {
      const { path, context, namespace } = (await choose(row)) ?? {};
      assert.equal(`${path?.slice(folder.path.length + 1)} ${context} ${namespace}`, row.chosen);
    });
  }

  it('is absent without a file, as in a pod', async () => {
    assert.equal(await choose({ home: 'nobody' }), undefined);
  });

  for (const [title, { message, ...row }] of Object.entries(rejections)) {
    it(`rejects ${title}`, () =>
      assert.rejects(choose(row), (error: Error) => {
        assert.match(error.message, message);
        return hasReason(error, 'InvalidConfiguration');
      }));
  }
});
