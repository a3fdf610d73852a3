import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPILED } from '../../support/compile-cache.ts';
import { ACCESS_KEY, aCall, rpcRequest } from '../../support/simulator.ts';

const MAIN = 'src/local/simulator/main.ts';
const KEYS = { ACCESS_KEY_ID: ACCESS_KEY.id, ACCESS_KEY_SECRET: ACCESS_KEY.secret };

interface Run {
  readonly child: ChildProcess;
  readonly folder: string;
}

/** Starts a simulator process in a folder of its own. The end of the test stops the process and removes the folder. */
async function withProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  use: (run: Run) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  const filled = args.map((arg) => arg.replace('FOLDER', folder));
  writeFileSync(join(folder, 'seed.json'), JSON.stringify({ loadBalancers: [{ id: 'lb-seeded' }] }));
  const child = spawn(process.execPath, [MAIN, ...filled], {
    env: { ...COMPILED, PATH: process.env['PATH'], ...env },
  });
  try {
    await use({ child, folder });
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ready(folder: string): Promise<string> {
  const file = join(folder, 'ready');
  for (let tries = 0; tries < 2_000 && !existsSync(file); tries += 1) await sleep(25);
  return readFileSync(file, 'utf8').trim();
}

/** The sandbox starts the simulator as a process, and waits for its file with the address. */
describe('the simulator as a process', function () {
  this.timeout(60_000);

  it('writes its address to a file, keeps seed and settings over a reset, and ends on SIGTERM', async () => {
    const args = [
      '--ready-file',
      'FOLDER/ready',
      '--seed-file',
      'FOLDER/seed.json',
      '--settings',
      '{"loadBalancers":1}',
    ];
    await withProcess(args, KEYS, async ({ child, folder }) => {
      const url = await ready(folder);
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      const list = (await (await fetch(rpcRequest(url, aCall('DescribeLoadBalancers')))).json()) as {
        TotalCount: number;
      };
      assert.equal(list.TotalCount, 1);
      const create = aCall('CreateLoadBalancer', { InstanceChargeType: 'PayByCLCU' });
      const rejected = (await (await fetch(rpcRequest(url, create))).json()) as { Code: string };
      assert.equal(rejected.Code, 'OverQuota');
      await fetch(`${url}/_simulator/reset`, { method: 'POST' });
      const again = (await (await fetch(rpcRequest(url, create))).json()) as { Code: string };
      assert.equal(again.Code, 'OverQuota');
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number];
      assert.equal(code, 0);
    });
  });

  const mistakes: Record<string, [args: readonly string[], env: NodeJS.ProcessEnv, message: RegExp]> = {
    'an unknown flag': [['--prot', '1'], KEYS, /--prot/],
    'an invalid port': [['--port', '70000'], KEYS, /--port: found "70000", expected a whole number from 0 to 65535/],
    'a missing access key': [[], {}, /no access key: set ACCESS_KEY_ID and ACCESS_KEY_SECRET/],
    'a missing seed file': [['--seed-file', 'FOLDER/none.json'], KEYS, /--seed-file: ENOENT/],
    'an unknown setting': [['--settings', '{"speed":9}'], KEYS, /settings: .*speed/],
  };
  for (const [what, [args, env, message]] of Object.entries(mistakes)) {
    it(`exits with 2 and a single line for ${what}`, async () => {
      await withProcess(args, env, async ({ child }) => {
        assert.ok(child.stderr);
        const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
        assert.equal(code, 2);
        assert.match(errors, message);
        assert.equal(errors.trim().split('\n').length, 1);
      });
    });
  }
});
