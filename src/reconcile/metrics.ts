import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The values of a work queue that each scrape reads. */
interface MeasuredQueue {
  readonly depth: () => number;
  /** The age of the oldest running reconcile in seconds; 0 without a running reconcile. */
  readonly oldestReconcile: () => number;
}

/** The metrics of all work queues of a process, with the names of client-go. */
export interface QueueMetrics {
  readonly adds: Counter<'name'>;
  readonly retries: Counter<'name'>;
  readonly waits: Histogram<'name'>;
  readonly work: Histogram<'name'>;
  /** Registers a queue, whose depth and oldest reconcile each scrape reads. */
  watch(name: string, queue: MeasuredQueue): void;
}

const SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300];

/** Registers and returns the metrics of all work queues. */
export function queueMetrics(registry: Registry): QueueMetrics {
  const queues = new Map<string, MeasuredQueue>();
  const gauge = (name: string, help: string, read: (queue: MeasuredQueue) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
      collect() {
        for (const [queueName, queue] of queues) this.set({ name: queueName }, read(queue));
      },
    });
  };
  gauge('workqueue_depth', 'Keys that wait in the queue.', ({ depth }) => depth());
  gauge('workqueue_longest_running_processor_seconds', 'Age of the oldest running reconcile.', ({ oldestReconcile }) =>
    oldestReconcile(),
  );
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['name'], registers: [registry] });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['name'], buckets: SECONDS, registers: [registry] });
  return {
    adds: counter('workqueue_adds_total', 'Keys added to the queue, without keys that already wait in it.'),
    retries: counter('workqueue_retries_total', 'Retries of failed reconciles.'),
    waits: histogram('workqueue_queue_duration_seconds', 'Time that a key waited in the queue.'),
    work: histogram('workqueue_work_duration_seconds', 'Time that a reconcile took.'),
    watch: (name, queue) => void queues.set(name, queue),
  };
}

/** The metrics of all controllers of a process, with the names of controller-runtime. */
export interface ControllerMetrics {
  readonly results: Counter<'controller' | 'result'>;
  readonly errors: Counter<'controller' | 'reason'>;
}

export const controllerMetrics = (registry: Registry): ControllerMetrics => ({
  results: new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by controller and result: success, requeue_after, error.',
    labelNames: ['controller', 'result'],
    registers: [registry],
  }),
  errors: new Counter({
    name: 'portcullis_reconcile_errors_total',
    help: 'Failed reconciles by controller and reason.',
    labelNames: ['controller', 'reason'],
    registers: [registry],
  }),
});
