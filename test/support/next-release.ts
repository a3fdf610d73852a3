import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/version.ts';
import type { AdmissionCluster } from './admission-cluster.ts';
import { temporaryFolder } from './folder.ts';
import { manifestsOf, root, type Manifest } from './manifests.ts';
import type { SpawnOptions } from './webhook-process.ts';
import type { WebhookReplicas } from './webhook-replicas.ts';
import { failing, rollingRestarts } from './webhook-rollouts.ts';

/** A release of the webhook, with the parts in which releases can differ. A test updates and downgrades replicas while writes continue. */
interface Release {
  readonly version: string;
  /** The options for starting its processes. */
  readonly process: SpawnOptions;
  /** Applies the objects of the release while writes continue. */
  install(cluster: AdmissionCluster): Promise<void>;
}

/** This release as shipped, with a webhook that must evaluate every request. */
const THIS_RELEASE: Release = {
  version: VERSION,
  process: {},
  install: async (cluster) => {
    await cluster.install();
    await cluster.register({ change: failing });
  },
};

interface Definition extends Manifest {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: Readonly<Record<string, object>> } };
    }[];
  };
}

/** Returns each definition of the project with an additional field. */
const nextDefinitions = (): readonly object[] =>
  manifestsOf('manifests/crds/*.yaml').map(({ file: _file, ...manifest }) => {
    const { spec, ...definition } = manifest as unknown as Definition;
    const versions = spec.versions.map((version) => {
      const { properties, ...schema } = version.schema.openAPIV3Schema;
      const openAPIV3Schema = { ...schema, properties: { ...properties, note: { type: 'string' } } };
      return { ...version, schema: { openAPIV3Schema } };
    });
    return { ...definition, spec: { ...spec, versions } };
  });

/** Returns a hook with an additional match condition, as in the next release. */
const nextHook = (hook: Record<string, unknown>): Record<string, unknown> =>
  failing({
    ...hook,
    matchConditions: [
      ...(hook['matchConditions'] as readonly object[]),
      { name: 'next-release', expression: "request.operation != 'DELETE'" },
    ],
  });

/**
 * Creates the next release in the folder: another version, other flags, an additional field in each custom resource, and an additional match
 * condition.
 */
function nextRelease(folder: string): Release {
  const version = '0.99.0';
  for (const part of ['src', 'webhook']) cpSync(join(root, part), join(folder, part), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'src/version.ts');
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes(`'${VERSION}'`));
  writeFileSync(file, text.replace(`'${VERSION}'`, `'${version}'`));
  return {
    version,
    process: { main: join(folder, 'src/main.ts'), flags: ['--max-in-flight=300', '--deprecated-keys=replace'] },
    install: async (cluster) => {
      await cluster.applyObjects(nextDefinitions());
      await cluster.register({ change: nextHook });
    },
  };
}

/** Rolls out the next release and this release in sequence. Checks that the replicas have the version of each release. */
export async function rollOutNextReleaseAndBack(cluster: AdmissionCluster, replicas: WebhookReplicas): Promise<void> {
  using folder = temporaryFolder();
  for (const release of [nextRelease(folder.path), THIS_RELEASE]) {
    await release.install(cluster);
    await rollingRestarts(replicas, 1, release.process);
    for (const { process } of replicas.running) {
      const { text } = await process.probe('/metrics');
      assert.ok(text.includes(`portcullis_build_info{version="${release.version}"`));
    }
  }
}
