import assert from 'node:assert/strict';
import { launchSpec, type PodMachine } from '../../../../src/local/kubelet/launch-spec.ts';
import { aContainer } from '../../../support/deployment.ts';

const MACHINE: PodMachine = {
  podFolder: '/sandbox/pods/webhook',
  entrypoint: ['/bin/node', '/repo/dist/src/main.js'],
  kubeconfig: '/sandbox/webhook.kubeconfig',
  ports: { https: 20001, health: 20002 },
  environment: { SLB_ENDPOINT: '127.0.0.1:1', LEVEL: 'info' },
};
const SOURCE = { secret: () => undefined, configMap: () => undefined };

/** The processes of the sandbox must get the arguments of the shipped Deployments. */
describe('the process of a pod', () => {
  it('runs the entry point with arguments of the Deployment, and ports of the sandbox', () => {
    const container = aContainer({
      args: ['webhook', '--port=9443', '--tls-cert-dir=/tls', '--level=$(LEVEL)'],
      env: [
        { name: 'LEVEL', value: 'debug' },
        { name: 'CERTIFICATES', value: '/tls/ca.crt' },
      ],
      mounts: [{ volume: 'tls', mountPath: '/tls' }],
    });
    assert.deepEqual(launchSpec('webhook', container, SOURCE, MACHINE), {
      name: 'webhook',
      command: '/bin/node',
      args: [
        '/repo/dist/src/main.js',
        'webhook',
        '--port=9443',
        '--tls-cert-dir=/sandbox/pods/webhook/volumes/tls',
        '--level=debug',
        '--kubeconfig=/sandbox/webhook.kubeconfig',
        '--bind-address=127.0.0.1',
        '--port=20001',
        '--health-probe-bind-addr=127.0.0.1:20002',
      ],
      env: { SLB_ENDPOINT: '127.0.0.1:1', LEVEL: 'debug', CERTIFICATES: '/sandbox/pods/webhook/volumes/tls/ca.crt' },
    });
  });

  it('runs the command of the container if it has a command', () => {
    const spec = launchSpec('controller', aContainer({ command: ['/usr/bin/env', 'x'] }), SOURCE, {
      ...MACHINE,
      ports: {},
    });
    assert.equal(spec.command, '/usr/bin/env');
    assert.deepEqual(spec.args, ['x', '--kubeconfig=/sandbox/webhook.kubeconfig']);
  });
});
