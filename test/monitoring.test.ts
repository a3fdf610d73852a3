import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf } from '../docs/.vitepress/markdown.ts';
import { PAGES, textOf } from '../docs/.vitepress/pages.ts';
import { createRegistry } from '../src/base/process-metrics.ts';
import { alertGroups } from './support/alerts.ts';
import { root } from './support/manifests.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly allValue?: string;
  readonly includeAll?: boolean;
  readonly current?: { readonly value: readonly string[] };
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** The default address of the documentation site. */
const { homepage: HOMEPAGE } = JSON.parse(read('package.json')) as { readonly homepage: string };
const ALERTS = alertGroups().flatMap(({ rules }) => rules);
const { panels: PANELS, templating: TEMPLATING } = JSON.parse(read('manifests/monitoring/dashboard.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
};

/** The section of each alert, with its heading. */
const RUNBOOKS = read('docs/reference/metrics-and-alerts.md')
  .split(/^## (?=Portcullis)/m)
  .slice(1);

const METRIC =
  /\b(?:portcullis|ccm|workqueue|controller_runtime|rest_client|reflector|leader_election|process|nodejs|apiserver)_[a-z0-9_]+\b/g;
/** The suffixes that Prometheus adds to the name of a histogram. */
const PART = /_(?:bucket|sum|count)$/;

/** Returns the names of the project's own metrics: the names in the sources that precede a help text. */
function own(): readonly string[] {
  const sources = globSync(['src/**/*.ts', 'webhook/**/*.ts'], { cwd: root }).map(read).join('\n');
  return [...sources.matchAll(/'([a-z]+(?:_[a-z0-9]+)+)',\s*(?:help:\s*)?'[A-Z\d]/g)].map(([, name = '']) => name);
}

/** Returns the metrics of the webhook and the controller, including the metrics of the library prom-client. */
async function known(): Promise<ReadonlySet<string>> {
  const all = await createRegistry('webhook').getMetricsAsJSON();
  return new Set([...own(), ...all.map(({ name }) => name)]);
}

/** The metrics of the API server that alerts and panels may use. */
const FOREIGN = ['apiserver_admission_webhook_fail_open_count', 'apiserver_admission_webhook_request_total'];

async function unknownIn(expressions: readonly string[]): Promise<readonly string[]> {
  const names = new Set([...(await known()), ...FOREIGN]);
  const used = expressions.flatMap((expression) => expression.match(METRIC) ?? []);
  assert.ok(used.length > 0);
  return used.filter((name) => !names.has(name) && !names.has(name.replace(PART, '')));
}

/** An alert on a metric that does not exist would never fire. */
describe('the alerts', () => {
  it('use existing metrics', async () => {
    assert.deepEqual(await unknownIn(ALERTS.map(({ expr }) => expr)), []);
  });

  it('use every failure counter, except two whose consequences have their own alerts', () => {
    const watched = new Set(ALERTS.flatMap(({ expr }) => expr.match(METRIC) ?? []));
    const failures = own().filter((name) => /_(?:errors|failures|faults)_total$/.test(name));
    assert.deepEqual([...new Set(failures)].filter((name) => !watched.has(name)).toSorted(), [
      'portcullis_inventory_failures_total',
      'reflector_failures_total',
    ]);
  });

  it('have unique names, a severity, a summary and a section of the runbooks', () => {
    const names = ALERTS.map(({ alert }) => alert);
    assert.deepEqual(new Set(names).size, names.length);
    for (const { alert, labels, annotations } of ALERTS) {
      assert.match(labels.severity, /^(?:warning|critical)$/);
      assert.match(annotations.summary, /^[A-Z].*\.$/);
      assert.equal(annotations.runbook_url, `${HOMEPAGE}/reference/metrics-and-alerts.html#${alert.toLowerCase()}`);
    }
    assert.deepEqual(
      RUNBOOKS.map((runbook) => runbook.split('\n')[0]),
      names,
    );
  });

  it('link to headings of pages that the site has', () => {
    for (const { annotations } of ALERTS) {
      const [address = '', anchor = ''] = annotations.runbook_url.split('#');
      const path = address.replace(`${HOMEPAGE}/`, '').replace(/\.html$/, '.md');
      const page = PAGES.find((each) => each.path === path);
      assert.ok(page !== undefined && anchorsOf(textOf(page)).includes(anchor), annotations.runbook_url);
    }
  });

  it('have sections with meaning, diagnosis and remedy', () => {
    for (const runbook of RUNBOOKS)
      assert.deepEqual(runbook.match(/^\*\*\w+\*\*/gm), ['**Means**', '**Look**', '**Do**'], runbook.split('\n')[0]);
  });
});

describe('the dashboard', () => {
  const queries = PANELS.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it('shows existing metrics', async () => {
    assert.deepEqual(await unknownIn(queries), []);
  });

  it('shows all metrics of alerts, except the four in this test', () => {
    const shown = new Set(queries.flatMap((query) => query.match(METRIC) ?? []));
    const unseen = ALERTS.flatMap(({ expr }) => expr.match(METRIC) ?? []).filter((name) => !shown.has(name));
    assert.deepEqual([...new Set(unseen)].toSorted(), [
      'portcullis_cloud_config_up_to_date',
      'portcullis_webhook_certificate_reload_errors_total',
      'reflector_last_event_timestamp_seconds',
      'workqueue_longest_running_processor_seconds',
    ]);
  });

  it('has variables that select all series by default, also series without their label', () => {
    const variables = TEMPLATING.list.filter(({ type }) => type === 'query');
    assert.deepEqual(
      variables.map(({ name }) => name),
      ['cluster', 'job', 'namespace'],
    );
    for (const { allValue, includeAll, current } of variables)
      assert.deepEqual([allValue, includeAll, current?.value], ['.*', true, ['$__all']]);
  });

  it('uses every variable in every selector, but only cluster for metrics of the API server', () => {
    for (const query of queries) {
      const selectors = [...query.matchAll(new RegExp(`${METRIC.source}(\\{[^}]*\\})?`, 'g'))];
      assert.equal(selectors.length, query.match(METRIC)?.length);
      for (const [selector, labels = ''] of selectors) {
        const isForeign = FOREIGN.some((name) => selector.startsWith(name));
        const variables = isForeign ? ['cluster'] : ['cluster', 'job', 'namespace'];
        for (const name of variables) assert.ok(labels.includes(`${name}=~"$${name}"`), `${name} in ${query}`);
      }
    }
  });

  it('describes each panel: the content, the normal state, and what to do', () => {
    const alerts = new Set(ALERTS.map(({ alert }) => alert));
    for (const { type, title, description = '' } of PANELS) {
      if (type === 'row') continue;
      assert.match(description, /^[A-Z].+\. Normal: .+\. .+\.$/, title);
      for (const name of description.match(/\bPortcullis\w+/g) ?? []) assert.ok(alerts.has(name), `${title}: ${name}`);
    }
  });

  it('has panels with unique ids', () => {
    assert.equal(new Set(PANELS.map(({ id }) => id)).size, PANELS.length);
  });
});
