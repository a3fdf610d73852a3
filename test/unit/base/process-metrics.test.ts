import assert from 'node:assert/strict';
import { Counter, Registry } from 'prom-client';
import { ProcessMetrics } from '../../../src/base/process-metrics.ts';

const counted = (registry: Registry, name: string): void =>
  new Counter({ name, help: 'h', registers: [registry] }).inc();
const values = (text: string): readonly string[] => text.split('\n').filter((line) => /^[a-z]/.test(line));

/** Dashboards need the metrics of the process and of its controllers. */
describe('the metrics of a process', () => {
  it('cover the process, and the currently running controllers', async () => {
    const process = new Registry();
    counted(process, 'calls');
    const figures = new ProcessMetrics(process);
    assert.deepEqual(values(await figures.metrics()), ['calls 1']);
    counted(figures.forControllers(), 'turns');
    assert.deepEqual(values(await figures.metrics()), ['calls 1', 'turns 1']);
    counted(figures.forControllers(), 'others');
    assert.deepEqual(values(await figures.metrics()), ['calls 1', 'others 1']);
  });
});
