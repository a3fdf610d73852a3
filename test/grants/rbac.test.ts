import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { silent } from '../../src/local/progress.ts';
import { obtainTools } from '../../src/local/tools/find-or-build-tools.ts';
import { temporaryFolder } from '../support/folder.ts';
import { composed, type Composition } from '../support/kustomization.ts';
import { parseManifests, render, root } from '../support/manifests.ts';
import { gathered } from '../support/permission-usage/recorded-uses.ts';
import { covers, grantsOf, type Grant } from '../support/permission-usage/grants.ts';
import type { Request } from '../support/permission-usage/requests.ts';

const namesIn = (folder: string): readonly string[] => readdirSync(join(root, 'kustomize', folder)).sort();

/** The base and all overlays and components, from which users compose an installation. */
const COMPOSITIONS: readonly (readonly [string, Composition])[] = [
  ['base', {}],
  ...namesIn('components').map((name) => [`component ${name}`, { components: [name] }] as const),
  ...namesIn('overlays').map((overlay) => [`overlay ${overlay}`, { overlay }] as const),
];

const what = ({ verb, group, resource, namespace = '', name = '' }: Omit<Request, 'user'>): string =>
  [verb, group === '' ? resource : `${resource}.${group}`, name, namespace === '' ? '' : `in ${namespace}`]
    .filter((part) => part !== '')
    .join(' ');

/** A permission that no request uses is a needless risk for the cluster, and a missing one stops a process. */
describe('the permissions of the service accounts', function () {
  this.timeout(60_000);
  const permissions = new Map<string, readonly Grant[]>();
  const requests: (readonly [Request, string])[] = [];

  before(async () => {
    for (const [text, example] of gathered('requests')) requests.push([JSON.parse(text) as Request, example]);
    const { kustomize } = await obtainTools(['kustomize'], { env: process.env, progress: silent });
    using folder = temporaryFolder();
    for (const [index, [composition, input]] of COMPOSITIONS.entries()) {
      const own = composed(join(folder.path, String(index)), input);
      permissions.set(composition, grantsOf(parseManifests(await render(kustomize, own))));
    }
  });

  for (const [composition] of COMPOSITIONS) {
    it(`from the ${composition} are all used`, () => {
      const unused = (permissions.get(composition) ?? [])
        .filter((grant) => !requests.some(([request]) => covers(grant, request)))
        .map(
          (grant) =>
            `${grant.role} lets ${grant.user} ${what(grant)}, which no test uses: remove the permission, or test its use`,
        );
      assert.deepEqual(unused, []);
    });
  }

  it('include all requests', () => {
    const all = [...permissions.values()].flat();
    const denied = requests
      .filter(([request]) => !all.some((grant) => covers(grant, request)))
      .map(([request, example]) => `no role lets ${request.user} ${what(request)}: ${example}`);
    assert.deepEqual(denied, []);
  });
});
