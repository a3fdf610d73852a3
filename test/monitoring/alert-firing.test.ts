import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { alertGroups, type AlertingRule } from '../support/alerts.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { AlertCase } from './alert-case.ts';
import { CONTROLLER_ALERTS } from './controller-alerts.ts';
import { WEBHOOK_ALERTS } from './webhook-alerts.ts';

const CASES = { ...WEBHOOK_ALERTS, ...CONTROLLER_ALERTS };
const ALERTS = alertGroups().flatMap(({ rules }) => rules);

/** Returns the expected alert, with the labels in its summary. */
const firing = ({ labels: { severity }, annotations }: AlertingRule, labels: AlertCase['labels'] = {}): object => ({
  exp_labels: { severity, ...labels },
  exp_annotations: {
    ...annotations,
    summary: annotations.summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? ''),
  },
});

/** An alert must fire for its failure, and must not fire without the failure. */
describe('the alerts in promtool', () => {
  const resources = new DisposableStack();
  const folder = resources.use(temporaryFolder()).path;
  before(() => {
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: alertGroups() }));
  });
  after(() => {
    resources.dispose();
  });

  const check = (alert: AlertingRule, { series, at, labels }: AlertCase, fires: boolean): void => {
    const expected = { alertname: alert.alert, eval_time: at, exp_alerts: fires ? [firing(alert, labels)] : [] };
    const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const test = { interval: '1m', input_series: input, alert_rule_test: [expected] };
    const path = join(folder, 'test.yaml');
    writeFileSync(path, stringify({ rule_files: ['rules.yaml'], tests: [test] }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  };

  it('have cases of their own', () => {
    assert.deepEqual(
      Object.keys(CASES),
      ALERTS.map(({ alert }) => alert),
    );
  });

  for (const alert of ALERTS) {
    const { fires = {}, stays = {} } = CASES[alert.alert] ?? {};
    for (const [title, alertCase] of Object.entries(fires)) {
      it(`${alert.alert} fires if ${title}`, () => check(alert, alertCase, true));
    }
    for (const [title, alertCase] of Object.entries(stays)) {
      it(`${alert.alert} does not fire if ${title}`, () => check(alert, alertCase, false));
    }
  }
});
