import assert from 'node:assert/strict';
import { Agent, request } from 'undici';
import { CATALOGUE } from '../../../src/annotation/catalogue.ts';
import { startAdmissionCluster, type AdmissionCluster } from '../../support/admission-cluster.ts';
import { patient } from '../../support/webhook-rollouts.ts';
import { startWebhook, type WebhookProcess } from '../../support/webhook-process.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const BANDWIDTH = CATALOGUE.bandwidth.key;
const ANY_BYTE = 'any-byte';

/** Nearly the size limit of etcd, and six times as long in a review, because the API server escapes each character. */
const ESCAPED = '<'.repeat(1_350_000);
const owner = (name: string): object => ({ apiVersion: 'v1', kind: 'Pod', name, uid: 'u' });
const managed = (more: object): object => ({
  manager: 'odd',
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:metadata': { 'f:labels': {} } },
  ...more,
});

/** Metadata that a user may write, and a pattern that the stored object matches. */
const ODD: Record<string, { readonly metadata: object; readonly stored: RegExp }> = {
  'a zero time in managedFields': {
    metadata: { managedFields: [managed({ time: '0001-01-01T00:00:00Z' })] },
    stored: /"manager":"odd",[^}]*"time":null/,
  },
  'an invalid UTF-8 byte in a key of fieldsV1': {
    metadata: { managedFields: [managed({ fieldsV1: { 'f:metadata': { 'f:labels': { [`f:${ANY_BYTE}`]: {} } } } })] },
    stored: /"f:\u00ff":\{\}/,
  },
  'a size near the limit of etcd, and characters that become escapes,': {
    metadata: { ownerReferences: [owner(ESCAPED)] },
    stored: /(?:\\u003c){1350000}/,
  },
};

/** The webhook must read every object that the API server can store, because users could not change an unreadable object. */
describe('an object that the API server stores with', function () {
  this.timeout(120_000);
  const resources = new AsyncDisposableStack();
  let cluster: AdmissionCluster;
  let webhook: WebhookProcess;
  let agent: Agent;

  before(async () => {
    cluster = resources.use(await startAdmissionCluster());
    const { certificateAuthority: ca, administrator } = cluster.plane;
    agent = new Agent({ allowH2: false, connect: { ca, cert: administrator.certificate, key: administrator.key } });
    resources.defer(() => agent.destroy());
    webhook = resources.use(await startWebhook(cluster.flags));
    await webhook.ready();
    cluster.route(webhook.port);
    await cluster.register({ change: patient });
  });
  after(() => resources.disposeAsync());

  async function send(method: 'POST' | 'PUT' | 'GET', path: string, object?: object) {
    const text = object === undefined ? '' : JSON.stringify(object);
    const body = Buffer.from(Buffer.from(text).toString('latin1').replaceAll(ANY_BYTE, '\u00ff'), 'latin1');
    const { statusCode, body: answer } = await request(`${cluster.plane.server}${path}`, {
      method,
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      ...(object === undefined ? {} : { body }),
    });
    return { status: statusCode, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
  }

  Object.entries(ODD).forEach(([title, { metadata, stored }], at) => {
    const name = `odd-${at}`;
    const service = (bandwidth: string): object => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, name, annotations: { [BANDWIDTH]: bandwidth } },
      spec: { type: 'LoadBalancer', ports: [{ name: 'http', port: 80 }] },
    });

    it(`${title} is evaluated on creation and on update`, async () => {
      const denied = await send('POST', SERVICES, service('much'));
      assert.match(`${denied.status} ${denied.text}`, /^422 .*denied the request.*annotation-value/s);
      const created = await send('POST', SERVICES, service('5'));
      assert.equal(created.status, 201, created.text.slice(0, 500));
      assert.match((await send('GET', `${SERVICES}/${name}`)).text, stored);
      const changed = await send('PUT', `${SERVICES}/${name}`, service('more'));
      assert.match(`${changed.status} ${changed.text}`, /^422 .*denied the request.*annotation-value/s);
    });
  });

  it('any of these contents never causes an HTTP error of the webhook', async () => {
    assert.match(
      (await webhook.probe('/metrics')).text,
      /errors_total\{status="400"\} 0\n(?:.*\n)*.*\{status="413"\} 0$/m,
    );
  });
});
