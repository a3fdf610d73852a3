import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const of = (file: string): string => JSON.stringify(import.meta.resolve(`../../../${file}`));

/** Prints the modules that a process has loaded when the webhook's server listens, before the first request. */
const SCRIPT = `
  import { createRequire } from 'node:module';
  import { Registry } from ${JSON.stringify(import.meta.resolve('prom-client'))};
  import { createMetrics } from ${of('webhook/metrics.ts')};
  import { buildServer } from ${of('webhook/server/server.ts')};
  import { systemClock as clock } from ${of('src/base/clock.ts')};
  import ${of('webhook/main.ts')};
  const metrics = createMetrics(new Registry());
  await buildServer({ clock, metrics, maxInFlight: 1 }, {}).ready();
  console.log([...Object.keys(createRequire(import.meta.url).cache), ...process.moduleLoadList].join('\\n'));
  process.exit();
`;

/** Each loaded module costs memory and start time of every replica. */
describe('the webhook at its start', () => {
  let loaded: readonly string[] = [];
  before(() => {
    const flags = ['--no-warnings', '--input-type=module', '--eval', SCRIPT];
    loaded = execFileSync(process.execPath, flags, { encoding: 'utf8' }).split('\n');
  });
  const like = (pattern: RegExp): readonly string[] => loaded.filter((name) => pattern.test(name));

  it('loads no schema compilers', () => {
    assert.notDeepEqual(like(/\/fastify\/fastify\.js$/), []);
    assert.deepEqual(
      like(/\/node_modules\/(ajv|ajv-formats|@fastify\/ajv-compiler|fast-json-stringify\/index\.js)/),
      [],
    );
  });

  it('loads no part of the built-in fetch', () => {
    assert.notDeepEqual(like(/^NativeModule http$/), []);
    assert.deepEqual(like(/internal\/deps\/undici/), []);
  });
});
