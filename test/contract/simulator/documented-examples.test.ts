import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EFFECTS } from '../../../src/local/simulator/fault.ts';
import { DEFAULT_SETTINGS } from '../../../src/local/simulator/settings.ts';
import { aCall, startSimulator, type SimulatorServer } from '../../support/simulator.ts';

const PAGE = readFileSync('docs/reference/simulator.md', 'utf8');

interface Example {
  readonly path: string;
  readonly method: string;
  readonly body: string | undefined;
  readonly answer: unknown;
}

/** A `curl` command of the page, and the JSON block after it. */
const EXAMPLES: readonly Example[] = [...PAGE.matchAll(/```bash\n([^]*?)```\n\n```json\n([^]*?)```/g)].map(
  ([, command = '', answer = '']) => {
    const [, method, path = '', body] =
      /^curl -s (?:-X (\w+) )?"\$SIMULATOR_URL(\/\S*)"(?: -d '([^]*)')?\n$/.exec(command) ?? [];
    assert.ok(path, `cannot read: ${command}`);
    return {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      body,
      answer: JSON.parse(answer) as unknown,
    };
  },
);

/** Asserts that the response contains all values of the page. The response may have further values. */
function assertShown(shown: unknown, answer: unknown, where: string): void {
  if (typeof shown !== 'object' || shown === null) {
    assert.deepEqual(answer, shown, where);
    return;
  }
  if (Array.isArray(shown)) assert.equal((answer as unknown[]).length, shown.length, `${where} has another length`);
  for (const [name, value] of Object.entries(shown)) {
    assertShown(value, (answer as Record<string, unknown>)[name], `${where}.${name}`);
  }
}

/** Sends the call that the page describes before its journal. */
const makeLoadBalancer = ({ simulator }: SimulatorServer): Promise<unknown> =>
  simulator.execute(
    aCall('CreateLoadBalancer', { InstanceChargeType: 'PayByCLCU', LoadBalancerName: 'demo' }),
    new AbortController().signal,
  );

/** Users copy the commands of the page, so the simulator must respond as the page shows. */
describe('docs/reference/simulator.md', () => {
  it('contains the response of the simulator in every example', async () => {
    await using server = await startSimulator({ world: {} });
    for (const { path, method, body, answer } of EXAMPLES) {
      if (path.includes('journal')) await makeLoadBalancer(server);
      const reply = await fetch(server.url + path, { method, ...(body === undefined ? {} : { body }) });
      assertShown(answer, await reply.json(), `${method} ${path}`);
    }
  });

  it('has an example for every admin path', () => {
    const paths = EXAMPLES.map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);
    const names = ['seed', 'faults', 'clock', 'settings', 'reset'].map((name) => `POST /_simulator/${name}`);
    for (const path of [...names, 'GET /_simulator/state', 'GET /_simulator/journal', 'DELETE /_simulator/faults']) {
      assert.ok(paths.includes(path), `no example of ${path}`);
    }
  });

  it('explains every effect and every setting, and no other', () => {
    const rows = (heading: string): string[] => {
      const [, section = ''] = PAGE.split(`| ${heading} |`);
      const [table = ''] = section.split('\n\n');
      return [...table.matchAll(/^\| ((?:`\w[\w-]*`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
        names.replaceAll('`', '').split(', '),
      );
    };
    assert.deepEqual(rows('effect').sort(), [...EFFECTS].sort());
    assert.deepEqual(rows('setting').sort(), Object.keys(DEFAULT_SETTINGS).sort());
  });

  it('lists the flags of the process', () => {
    const usage = execFileSync(process.execPath, ['src/local/simulator/main.ts', '--help'], { encoding: 'utf8' });
    assert.ok(PAGE.includes(`\`\`\`text\n${usage}\`\`\``));
  });
});
