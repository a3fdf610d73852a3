import { request } from 'undici';

/** The entries of etcd at a revision. Keys and values are in base64, as in the JSON gateway. */
export interface EtcdSnapshot {
  readonly revision: number;
  readonly values: ReadonlyMap<string, string>;
}

interface Entry {
  readonly key: string;
  readonly value?: string;
  /** The revision of the last write. The gateway writes 64-bit integers as strings. */
  readonly mod_revision: string;
}

interface Range {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly Entry[];
}

/** The zero byte. As both ends of a range, it selects all keys. */
const ALL = { key: 'AA==', range_end: 'AA==' };
/** The limit of operations in one transaction of etcd. */
const TRANSACTION_LIMIT = 128;
/** Keys that are not restored. The API server renews them by itself, and a restored value would lose its lease of etcd. */
const RENEWED = /^\/registry\/(?:masterleases|leases\/kube-system\/apiserver-)/;

const isRenewed = (key: string): boolean => RENEWED.test(Buffer.from(key, 'base64').toString());

async function post(url: string, path: string, body: object): Promise<unknown> {
  const response = await request(url + path, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`etcd ${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text);
}

const range = async (url: string, options: object): Promise<Range> =>
  (await post(url, '/v3/kv/range', options)) as Range;

/** Compacts etcd at its current revision. Older revisions can no longer be read. */
export async function compactEtcd(url: string): Promise<void> {
  const { header } = await range(url, { key: ALL.key, limit: '1' });
  await post(url, '/v3/kv/compaction', { revision: header.revision, physical: true });
}

/** Reads all entries of etcd. */
export async function readSnapshot(url: string): Promise<EtcdSnapshot> {
  const { header, kvs = [] } = await range(url, ALL);
  return {
    revision: Number(header.revision),
    values: new Map(kvs.map(({ key, value = '' }) => [key, value])),
  };
}

/**
 * Deletes the entries that the snapshot lacks, and writes back the entries that changed since, so that the watches of the API server receive the
 * changes.
 */
export async function restoreSnapshot(url: string, { revision, values }: EtcdSnapshot): Promise<void> {
  const { kvs = [] } = await range(url, { ...ALL, keys_only: true });
  const revisions = new Map(kvs.map(({ key, mod_revision }) => [key, Number(mod_revision)]));
  const operations = [
    ...[...revisions.keys()]
      .filter((key) => !values.has(key) && !isRenewed(key))
      .map((key) => ({ request_delete_range: { key } })),
    ...[...values]
      .filter(([key]) => (revisions.get(key) ?? Infinity) > revision && !isRenewed(key))
      .map(([key, value]) => ({ request_put: { key, value } })),
  ];
  for (let start = 0; start < operations.length; start += TRANSACTION_LIMIT)
    await post(url, '/v3/kv/txn', { success: operations.slice(start, start + TRANSACTION_LIMIT) });
}
