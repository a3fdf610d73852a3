import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createMetadata, metadataEndpoint } from '../../../src/alibaba/metadata.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { httpScript, type HttpScript, type SeenRequest } from '../../support/cloud-over-http.ts';

const never = new AbortController().signal;
/** A clock without pauses between retries. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms < 1_000 ? 1 : ms, signal) };

const of = ({ host }: Pick<HttpScript, 'host'>, isHardened = true) =>
  createMetadata({ endpoint: `http://${host}`, isHardened, clock: hasty });

const say = (response: ServerResponse, status: number, text = ''): void => void response.writeHead(status).end(text);

/** Starts a service that issues tokens and sends these answers in sequence. The last answer repeats. */
const service = (...answers: ((response: ServerResponse, request: SeenRequest) => void)[]) => {
  let requests = 0;
  return httpScript((response, request) => {
    if (request.method === 'PUT') {
      say(response, 200, 'a-token');
      return;
    }
    const answer = answers[Math.min(requests, answers.length - 1)];
    requests += 1;
    answer?.(response, request);
  });
};

/** The metadata service gives region and keys to a controller without configuration. Its failures must have advice. */
describe('the metadata of the instance', () => {
  it('is read with a token, which is requested once', async () => {
    await using server = await service((response) => say(response, 200, 'cn-hangzhou\n'));
    const metadata = of(server);
    assert.deepEqual(
      [await metadata.read('region-id', never), await metadata.read('zone-id', never)],
      ['cn-hangzhou', 'cn-hangzhou'],
    );
    assert.deepEqual(
      server.seen.map(({ method, path, headers }) => [method, path, headers['x-aliyun-ecs-metadata-token']]),
      [
        ['PUT', '/latest/api/token', undefined],
        ['GET', '/latest/meta-data/region-id', 'a-token'],
        ['GET', '/latest/meta-data/zone-id', 'a-token'],
      ],
    );
    assert.equal(server.seen[0]?.headers['x-aliyun-ecs-metadata-token-ttl-seconds'], '21600');
  });

  it('is read without a token if configured', async () => {
    await using server = await service((response) => say(response, 200, 'cn-hangzhou'));
    await of(server, false).read('region-id', never);
    assert.deepEqual(
      server.seen.map(({ method }) => method),
      ['GET'],
    );
  });

  it('is absent if the service lacks a value', async () => {
    await using server = await service((response) => say(response, 404));
    assert.equal(await of(server).read('eipv4', never), undefined);
  });

  it('is read again once with a new token if the first is rejected', async () => {
    await using server = await service(
      (response) => say(response, 403),
      (response) => say(response, 200, 'i-1'),
      (response) => say(response, 403),
    );
    const metadata = of(server);
    assert.equal(await metadata.read('instance-id', never), 'i-1');
    await assert.rejects(metadata.read('instance-id', never), { message: /instance-id has HTTP status 403$/ });
    assert.equal(server.seen.filter(({ method }) => method === 'PUT').length, 3);
  });

  it('is read up to five times over broken connections', async () => {
    await using back = await service(
      (response) => response.destroy(),
      (response) => response.destroy(),
      (response) => say(response, 200, 'i-1'),
    );
    assert.equal(await of(back).read('instance-id', never), 'i-1');
    await using broken = await service((response) => response.destroy());
    await assert.rejects(of(broken).read('instance-id', never), { reason: 'Unavailable' });
    assert.equal(broken.seen.filter(({ method }) => method === 'GET').length, 5);
  });

  const failures: Record<string, [isHardened: boolean, put: number, get: number, message: RegExp]> = {
    'a service without tokens': [
      true,
      404,
      200,
      /the response for a token has HTTP status 404: .* --enable-imdsv2=false$/,
    ],
    'a service that requires tokens': [false, 200, 403, /HTTP status 403: .* set --enable-imdsv2$/],
    'a service with an internal error': [true, 200, 500, /region-id has HTTP status 500$/],
  };
  for (const [what, [isHardened, put, get, message]] of Object.entries(failures)) {
    it(`causes an error with the HTTP status and any advice for ${what}`, async () => {
      await using server = await httpScript((response, { method }) => say(response, method === 'PUT' ? put : get, 't'));
      await assert.rejects(of(server, isHardened).read('region-id', never), {
        reason: 'Unavailable',
        message,
      });
      assert.ok(server.seen.length <= 2);
    });
  }

  it('is aborted after five seconds, or at an aborted signal', async function () {
    this.timeout(15_000);
    await using server = await httpScript(() => undefined);
    await assert.rejects(of(server).read('region-id', never), {
      reason: 'Unavailable',
      message: /: no answer within [25] s$/,
    });
    const stop = new AbortController();
    const requests = of(server).read('region-id', stop.signal);
    stop.abort(new Error('told to stop'));
    await assert.rejects(requests, { message: 'told to stop' });
  });

  it('is read at 100.100.100.200, or at the URL in METADATA_ENDPOINT', () => {
    assert.equal(metadataEndpoint({}), 'http://100.100.100.200');
    assert.equal(metadataEndpoint({ METADATA_ENDPOINT: ' http://127.0.0.1:80/ ' }), 'http://127.0.0.1');
    assert.throws(() => metadataEndpoint({ METADATA_ENDPOINT: '127.0.0.1:80' }), {
      reason: 'InvalidConfiguration',
      message: /METADATA_ENDPOINT is "127\.0\.0\.1:80": set a URL such as http:\/\/100\.100\.100\.200/,
    });
  });
});
