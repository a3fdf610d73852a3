import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { nodeMetrics, routeMetrics, serviceMetrics } from '../src/controller/metrics.ts';
import { root } from './support/manifests.ts';

/**
 * Metrics of the Alibaba Cloud Controller Manager and of upstream cloud controllers. Portcullis has each metric, or
 * `docs/concepts/node-failure-modes.md` names a replacement.
 */
const METRICS = [
  ...['ccm_node_latencies_duration_milliseconds', 'ccm_route_latencies_duration_milliseconds'],
  ...['ccm_slb_latencies_duration_milliseconds', 'ccm_slb_operation_result'],
  'node_controller_cloud_provider_taint_removal_delay_seconds',
  ...['node_controller_initial_node_sync_delay_seconds', 'route_controller_route_sync_total'],
  ...['service_controller_loadbalancer_sync_total', 'service_controller_nodesync_error_total'],
  'service_controller_nodesync_latency_seconds',
  'service_controller_update_loadbalancer_host_latency_seconds',
];
const EVENTS = [
  ...['InitializedNode', 'AddNodeFailed', 'SyncNodeFailed', 'DeletedNode', 'DeleteNodeFailed'],
  ...['CreatedRoute', 'CreateRouteFailed', 'DescriberRouteFailed', 'SyncRouteFailed'],
  ...['Synced', 'DeletingNode', 'DeletingNodeFailed', 'FailedToCreateRoute'],
];
const NEW_EVENTS = [
  ...['NodeProviderIDSet', 'NodeProviderIDAmbiguous', 'NodeRemovalSuppressed'],
  ...['RouteConflict', 'RouteQuotaExceeded', 'CloudPermissionDenied'],
];
/** The upper bounds of the histogram buckets of two releases of the Alibaba Cloud Controller Manager, in milliseconds. */
const BUCKETS = [
  ...[100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000],
  ...[9_000, 10_000, 30_000, 60_000, 100_000, 150_000, 200_000, 300_000, 600_000, 700_000, 800_000],
];

const page = readFileSync(join(root, 'docs/concepts/node-failure-modes.md'), 'utf8');

/** Returns the rows of the table with this head, by name. */
function rowsOf(head: string): ReadonlyMap<string, string> {
  const [, table = ''] = page.split(`| ${head} | Portcullis |\n|---|---|\n`);
  const [rows = ''] = table.split('\n\n', 1);
  return new Map([...rows.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name = '', here = '']) => [name, here]));
}

/** The quoted words in the sources, among them all names of metrics and events. */
const words = new Set(
  globSync('{src,webhook}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/'([A-Za-z_]+)'/g)].map(([, word = '']) => word),
  ),
);
const named = (text: string): readonly string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

/** Dashboards and alerts of the existing controller use these names, so they must stay. */
describe('the names of the existing controller', () => {
  for (const [head, names] of [
    ['Metric', METRICS],
    ['Event', EVENTS],
  ] as const) {
    const rows = rowsOf(head);

    it(`are exactly those of the page: ${head}`, () => assert.deepEqual([...rows.keys()], names));

    for (const [name, here] of rows) {
      it(`include ${name}, or its replacement on the page`, () => {
        if (here.startsWith('the same')) assert.ok(words.has(name), `${name} is not there`);
        else {
          assert.match(here, /^none[;,] /);
          assert.ok(!words.has(name), `${name} is there after all`);
        }
      });
    }
  }

  it('have replacements on the page, and all names on the page exist in the sources', () => {
    const [, section = ''] = page.split('\n## Metrics and events by their old names\n');
    const mentioned = named(section).filter((name) =>
      /^(?:portcullis|controller_runtime)_|^[A-Z][a-z]+[A-Z]/.test(name),
    );
    const absent = new Set([...METRICS, ...EVENTS].filter((name) => !words.has(name)));
    assert.deepEqual(
      mentioned.filter((name) => !absent.has(name) && !words.has(name) && !['CLBType'].includes(name)),
      [],
    );
    for (const name of NEW_EVENTS) assert.ok(mentioned.includes(name) && words.has(name), name);
  });

  it('have the labels and buckets of the existing controller', async () => {
    const registry = new Registry();
    const service = serviceMetrics(registry);
    service.succeeded('Creation', 1);
    service.succeeded('Update', 1);
    service.succeeded('Deletion', 1);
    service.failed('Update');
    const node = nodeMetrics(registry);
    for (const verb of ['remove_taint', 'reconcile'] as const) node(verb, 1);
    const route = routeMetrics(registry);
    for (const verb of ['create', 'delete', 'reconcile'] as const) route(verb, 1);
    const text = await registry.metrics();
    for (const series of [
      'ccm_slb_latencies_duration_milliseconds_count{type="CLBType",verb="Creation"} 1',
      'ccm_slb_latencies_duration_milliseconds_count{type="CLBType",verb="Update"} 1',
      'ccm_slb_latencies_duration_milliseconds_count{type="CLBType",verb="Deletion"} 1',
      'ccm_slb_operation_result{type="CLBType",verb="Update",status="Fail"} 1',
      'ccm_slb_operation_result{type="CLBType",verb="Update",status="Success"} 1',
      'ccm_node_latencies_duration_milliseconds_count{verb="remove_taint"} 1',
      'ccm_node_latencies_duration_milliseconds_count{verb="reconcile"} 1',
      'ccm_route_latencies_duration_milliseconds_count{verb="create"} 1',
      'ccm_route_latencies_duration_milliseconds_count{verb="delete"} 1',
      'ccm_route_latencies_duration_milliseconds_count{verb="reconcile"} 1',
    ])
      assert.ok(text.includes(series), series);
    for (const name of METRICS.filter((each) => each.startsWith('ccm_') && each.endsWith('milliseconds'))) {
      const bounds = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="(\\d+)"[^}]*\\} \\d+$`, 'gm'))];
      assert.deepEqual([...new Set(bounds.map(([, bound]) => Number(bound)))], BUCKETS, name);
    }
  });
});
