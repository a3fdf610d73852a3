import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assertGolden } from '../../support/golden.ts';
import { assertHistory } from '../../support/invariants/history-check.ts';
import { playScenario, type Played } from '../../support/service-scenarios/scenario-run.ts';
import { startStage, type Stage } from '../../support/service-scenarios/stage.ts';
import { readScenarios } from '../../support/service-scenarios/scenario-schema.ts';

/** The number of scenarios in parallel. Each has its own cloud, part of the cluster, and clock. */
const SIDE_BY_SIDE = 4;

const scenarios = globSync('*.yaml', { cwd: import.meta.dirname })
  .sort()
  .flatMap((file) =>
    [...readScenarios(join(import.meta.dirname, file))].map(([name, written]) => ({
      topic: basename(file, '.yaml'),
      name,
      written,
    })),
  );

/** Plays the YAML scenarios of this folder on a real API server, whose defaults and conflicts no simulation reproduces. */
describe('the scenarios on a real API server', function () {
  this.timeout(300_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  const plays = new Map<number, Promise<Played>>();
  /** Plays a scenario, and starts the next few in parallel. */
  const played = (index: number): Promise<Played> | undefined => {
    for (const [next, { name, written }] of scenarios.entries()) {
      if (next < index || next >= index + SIDE_BY_SIDE || plays.has(next)) continue;
      const play = playScenario(name, written, next, stage);
      // The failure is reported to the test that awaits the scenario.
      play.catch(() => undefined);
      plays.set(next, play);
    }
    return plays.get(index);
  };

  it('exist for every recorded text', () => {
    const texts = globSync('*/*.txt', { cwd: import.meta.dirname }).sort();
    const known = new Set(scenarios.map(({ topic, name }) => join(topic, `${name}.txt`)));
    assert.deepEqual(
      texts.filter((text) => !known.has(text)),
      [],
    );
  });

  for (const [index, { topic, name, written }] of scenarios.entries()) {
    it(`${topic}: ${(written as { readonly title: string }).title}`, async () => {
      const { text, history } = await (played(index) ?? assert.fail('it was not played'));
      plays.delete(index);
      assertGolden(join(import.meta.dirname, topic, `${name}.txt`), text);
      assertHistory(history);
    });
  }
});
