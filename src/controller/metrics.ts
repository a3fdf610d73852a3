import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RecordDuration } from '../base/record-duration-type.ts';
import type { ChangeVerb } from '../route/apply.ts';

/**
 * The buckets in milliseconds. The Alibaba Cloud Controller Manager (the existing controller) uses the same buckets, so its dashboards continue to
 * work.
 */
const BUCKETS = [
  ...[100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000],
  ...[30_000, 60_000, 100_000, 150_000, 200_000, 300_000, 600_000, 700_000, 800_000],
];

/** The values of the label `verb` for Services. */
export type Verb = 'Creation' | 'Update' | 'Deletion';

/** The metrics of the Service controller, under the names of the existing controller. */
export interface ServiceMetrics {
  succeeded(verb: Verb, milliseconds: number): void;
  failed(verb: Verb): void;
}

const TYPE = 'CLBType';

export function serviceMetrics(registry: Registry): ServiceMetrics {
  const latencies = new Histogram({
    name: 'ccm_slb_latencies_duration_milliseconds',
    help: 'Milliseconds from the creation or deletion of a Service, or from the start of a reconcile, until the load balancer is synced.',
    labelNames: ['type', 'verb'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const results = new Counter({
    name: 'ccm_slb_operation_result',
    help: 'Reconciles of Services that changed a resource or failed, by type, verb and status.',
    labelNames: ['type', 'verb', 'status'],
    registers: [registry],
  });
  return {
    succeeded: (verb, milliseconds) => {
      latencies.observe({ type: TYPE, verb }, Math.trunc(milliseconds));
      results.inc({ type: TYPE, verb, status: 'Success' });
    },
    failed: (verb) => results.inc({ type: TYPE, verb, status: 'Fail' }),
  };
}

/** The values of the label `verb` for Nodes, as in the existing controller. */
export type NodeVerb = 'remove_taint' | 'reconcile';
/** The values of the label `verb` for routes, as in the existing controller. */
export type RouteVerb = ChangeVerb | 'reconcile';

function latencies<OneVerb extends string>(registry: Registry, name: string, help: string): RecordDuration<OneVerb> {
  const histogram = new Histogram({ name, help, labelNames: ['verb'], buckets: BUCKETS, registers: [registry] });
  return (verb, milliseconds) => histogram.observe({ verb }, Math.trunc(milliseconds));
}

/** Registers the metric of the durations of Node reconciles. */
export const nodeMetrics = (registry: Registry): RecordDuration<NodeVerb> =>
  latencies(
    registry,
    'ccm_node_latencies_duration_milliseconds',
    'Milliseconds of a reconcile of one Node. The verb remove_taint counts reconciles that initialized the Node.',
  );

/** Registers the metric of the durations of route reconciles and route changes. */
export const routeMetrics = (registry: Registry): RecordDuration<RouteVerb> =>
  latencies(
    registry,
    'ccm_route_latencies_duration_milliseconds',
    'Milliseconds of a reconcile of all routes, or of a call that creates or deletes routes, including waits.',
  );

/** The values of a gauge by labels. */
export type Samples<Label extends string> = Iterable<readonly [labels: Readonly<Record<Label, string>>, value: number]>;

/** Registers a gauge whose values each scrape reads anew, so that the series of removed objects disappear. */
export const scrapedGauge = <Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  read: () => Samples<Label>,
): Gauge<Label> =>
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });

/** A function that returns the values of a gauge with a single label. Each scrape calls the function. */
type ReadCounts = () => Iterable<readonly [label: string, count: number]>;

/** Registers the gauge `portcullis_nodes` with the label `state`. A Node can be in several states. */
export const nodeGauge = (registry: Registry, read: ReadCounts) =>
  scrapedGauge(
    registry,
    'portcullis_nodes',
    'Nodes by state: not yet initialized, excluded, without a known instance, or all.',
    ['state'],
    () => Iterator.from(read()).map(([state, count]) => [{ state }, count] as const),
  );

/**
 * Registers the gauge `portcullis_route_entries` with the label `table`, which shows how close each route table is to its quota, 200 entries by
 * default.
 */
export const routeGauge = (registry: Registry, read: ReadCounts) =>
  scrapedGauge(registry, 'portcullis_route_entries', 'Entries of a route table, as of the last read.', ['table'], () =>
    Iterator.from(read()).map(([table, count]) => [{ table }, count] as const),
  );
