import assert from 'node:assert/strict';
import type { ApiClient } from '../../src/local/api-client.ts';

/** Returns a client of an API server for unit tests of the sandbox. Any call that is not in `calls` fails the test. */
export const aClient = (calls: Partial<ApiClient>): ApiClient => {
  const unexpected =
    (verb: string) =>
    (path?: unknown): never =>
      assert.fail(`${verb} ${typeof path === 'string' ? path : ''} was not expected`);
  return {
    get: unexpected('get'),
    find: unexpected('find'),
    create: unexpected('create'),
    apply: unexpected('apply'),
    patch: unexpected('patch'),
    ready: unexpected('ready'),
    close: unexpected('close'),
    ...calls,
  };
};
