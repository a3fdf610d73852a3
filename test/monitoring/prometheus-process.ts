import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { stringify } from 'yaml';
import { freePorts } from '../../src/local/free-ports.ts';
import { answered } from '../support/eventually.ts';

/** A series with its present value. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

export interface PrometheusProcess extends AsyncDisposable {
  /** Returns the data of a response of the API. Fails with the error of Prometheus. */
  ask<Data>(path: string): Promise<Data>;
  query(expression: string): Promise<readonly Sample[]>;
}

/** Starts Prometheus with a configuration, for the suite monitoring. Resolves once Prometheus has scraped a process. */
export async function startPrometheus(folder: string, configuration: object): Promise<PrometheusProcess> {
  const [port = 0] = await freePorts(1);
  const base = `http://127.0.0.1:${port}/api/v1`;
  const config = join(folder, 'prometheus.yaml');
  writeFileSync(config, stringify({ global: { scrape_interval: '1s', evaluation_interval: '1s' }, ...configuration }));
  const data = `--storage.tsdb.path=${join(folder, 'data')}`;
  const flags = [`--config.file=${config}`, data, `--web.listen-address=127.0.0.1:${port}`];
  await using starting = new AsyncDisposableStack();
  const child = spawn('prometheus', flags, { stdio: 'ignore' });
  starting.defer(async () => {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  });
  const ask = async <Data>(path: string): Promise<Data> => {
    const { statusCode, body } = await request(`${base}/${path}`);
    const answer = (await body.json()) as { readonly data: Data; readonly error?: string };
    assert.equal(statusCode, 200, answer.error);
    return answer.data;
  };
  const query = async (expression: string): Promise<readonly Sample[]> =>
    (await ask<{ readonly result: readonly Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result;
  await answered(async () => {
    const found = await query('portcullis_build_info').catch(() => []);
    return found.length > 0 || undefined;
  }, 'Prometheus has scraped a process');
  const started = starting.move();
  return { ask, query, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Returns what promtool finds wrong with the metrics page of a process. */
export async function promtoolMessages(page: string): Promise<readonly string[]> {
  const checking = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  checking.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  checking.stdin.end(page);
  await once(checking, 'close');
  return output.split('\n').filter((line) => line !== '');
}
