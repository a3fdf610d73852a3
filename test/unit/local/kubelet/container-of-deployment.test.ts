import assert from 'node:assert/strict';
import { containerOf } from '../../../../src/local/kubelet/container-of-deployment.ts';
import { aDeployment } from '../../../support/deployment.ts';

/** The sandbox runs the shipped Deployments, and must reject a feature that it does not support. */
describe('the container of a Deployment', () => {
  it('is read with its arguments, mounts, ports, readiness probe and grace period', () => {
    const container = containerOf(
      aDeployment(
        {
          args: ['webhook', '--port=9443'],
          ports: [
            { name: 'https', containerPort: 9443 },
            { name: 'health', containerPort: 10259 },
          ],
          volumeMounts: [{ name: 'tls', mountPath: '/tls', readOnly: true }],
          readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
        },
        { volumes: [{ name: 'tls', secret: { secretName: 'webhook-tls' } }], terminationGracePeriodSeconds: 7 },
      ),
    );
    assert.deepEqual(container, {
      namespace: 'portcullis-system',
      name: 'portcullis-webhook',
      serviceAccount: 'portcullis-webhook',
      command: [],
      args: ['webhook', '--port=9443'],
      env: [],
      mounts: [{ volume: 'tls', mountPath: '/tls' }],
      volumes: [{ name: 'tls', secret: { secretName: 'webhook-tls' } }],
      ports: new Map([
        ['https', 9443],
        ['health', 10259],
      ]),
      readiness: { path: '/readyz', port: 10259, scheme: 'http' },
      graceMs: 7000,
    });
  });

  it('without settings has the defaults of Kubernetes', () => {
    const container = containerOf({ spec: { selector: {}, template: { spec: { containers: [{ name: 'x' }] } } } });
    assert.equal(container.namespace, 'default');
    assert.equal(container.serviceAccount, 'default');
    assert.equal(container.graceMs, 30_000);
    assert.equal(container.readiness, undefined);
  });

  it('can have a probe over HTTPS with a numeric port', () => {
    const { readiness } = containerOf(aDeployment({ readinessProbe: { httpGet: { port: 9443, scheme: 'HTTPS' } } }));
    assert.deepEqual(readiness, { path: '/', port: 9443, scheme: 'https' });
  });

  const rejected = {
    'a missing container': {
      deployment: { metadata: { name: 'x' } },
      message: /Deployment x: .* a pod without a container/,
    },
    'an init container': {
      deployment: aDeployment({}, { initContainers: [{ name: 'proxy' }] }),
      message: /the sandbox does not support a pod with more than one container/,
    },
    'a probe of an unknown port': {
      deployment: aDeployment({ readinessProbe: { httpGet: { port: 'health' } } }),
      message: /Deployment portcullis-webhook: .* a probe of port health, which the container does not name/,
    },
    envFrom: { deployment: aDeployment({ envFrom: [{ secretRef: { name: 's' } }] }), message: /envFrom/ },
  };
  for (const [title, { deployment, message }] of Object.entries(rejected)) {
    it(`is rejected for ${title}`, () => {
      assert.throws(() => containerOf(deployment), { reason: 'InvalidConfiguration', message });
    });
  }
});
