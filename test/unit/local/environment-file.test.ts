import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentText, sandboxEnvironment } from '../../../src/local/environment-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

const variables = sandboxEnvironment({
  folder: '/sandbox',
  kubeconfig: '/sandbox/kubeconfig',
  cloudConfig: '/sandbox/cloud-config.conf',
  simulatorUrl: 'http://127.0.0.1:4711',
  accessKey: { id: 'LTAIexample', secret: 'very secret' },
});

/** Users and tests select a sandbox by these variables. */
describe('the environment of the sandbox', () => {
  it('has every documented variable', () => {
    assert.deepEqual(Object.keys(variables).sort(), [
      'ACCESS_KEY_ID',
      'ACCESS_KEY_SECRET',
      'ALICLOUD_CLIENT_SCHEME',
      'CLOUD_CONFIG',
      'CLUSTER_CIDR',
      'CLUSTER_ID',
      'CONTROLLER_KUBECONFIG',
      'ECS_ENDPOINT',
      'KUBECACHEDIR',
      'KUBECONFIG',
      'METADATA_ENDPOINT',
      'REGION_ID',
      'SIMULATOR_URL',
      'SLB_ENDPOINT',
      'STS_ENDPOINT',
      'VPC_ENDPOINT',
      'VPC_ID',
      'WEBHOOK_KUBECONFIG',
    ]);
  });

  it('has endpoints as hosts, and the metadata service as a URL', () => {
    assert.equal(variables['SLB_ENDPOINT'], '127.0.0.1:4711');
    assert.equal(variables['METADATA_ENDPOINT'], 'http://127.0.0.1:4711');
    assert.equal(variables['ALICLOUD_CLIENT_SCHEME'], 'HTTP');
  });

  it("separates kubectl's discovery cache from other sandboxes at the same address", () => {
    assert.equal(variables['KUBECACHEDIR'], '/sandbox/kubectl-cache');
  });

  it('is valid in a POSIX shell, for any folder name and if sourced twice', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'environment');
    const odd = { ODD: `it's "a" $HOME \`x\` \\ name`, EMPTY: '' };
    writeFileSync(file, environmentText("/my 'sandbox'/bin", odd));
    const script = `. '${file}'; . '${file}'; printf '%s|%s|%s' "$PATH" "$ODD" "$EMPTY"`;
    const printed = execFileSync('sh', ['-eu', '-c', script], { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' });
    assert.equal(printed, `/my 'sandbox'/bin:/usr/bin:/bin|${odd.ODD}|`);
  });
});
