import assert from 'node:assert/strict';
import { KubeConfig } from '@kubernetes/client-node';
import { kubeconfig } from '../../../src/local/kubeconfig.ts';

const ADDRESS = { server: 'https://127.0.0.1:6443', certificateAuthority: 'authority' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The processes of the sandbox reach the API server by these files. */
describe('a kubeconfig', () => {
  it('is readable for the official client, with a client certificate', () => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig(ADDRESS, 'administrator', { certificate: 'c', key: 'k' }));
    assert.equal(config.getCurrentCluster()?.server, ADDRESS.server);
    assert.equal(config.getCurrentCluster()?.caData, base64('authority'));
    assert.equal(config.getCurrentUser()?.name, 'administrator');
    assert.equal(config.getCurrentUser()?.certData, base64('c'));
    assert.equal(config.getCurrentUser()?.keyData, base64('k'));
  });

  it('contains the path of a token file, because the token is renewed', () => {
    const text = kubeconfig(ADDRESS, 'portcullis-webhook', { tokenFile: '/sandbox/token' });
    assert.match(text, /tokenFile: \/sandbox\/token/);
  });
});
