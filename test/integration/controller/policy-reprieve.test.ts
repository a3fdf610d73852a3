import assert from 'node:assert/strict';
import type { LoadBalancerException } from '../../../src/policy/resource.ts';
import { anException } from '../../support/policy.ts';
import { INTRANET, ports, portsOf, requiring, ruled, type Ruled } from '../../support/ruled.ts';
import { annotated, apply, changes, events, patch, standing } from '../../support/running.ts';

const FAULTY = { annotations: annotated({ scheduler: 'nonsense' }) };
const always = (rule: string, spec: Partial<LoadBalancerException['spec']> = {}): LoadBalancerException =>
  anException('e', { rule, expires: '2030-01-01T00:00:00Z', ...spec });

describe('a Service that is refused, once it is not any more', () => {
  const REPRIEVES: Readonly<Record<string, (rules: Ruled) => Promise<void>>> = {
    'an exception lifts the rule': async ({ run, except }) => {
      except(always('annotation-value'));
      await run.cluster.quiet();
    },
    'a policy has the rule warn': ({ enforce }) => enforce({ rules: [{ rule: 'annotation-value', mode: 'warn' }] }),
  };
  for (const [how, reprieve] of Object.entries(REPRIEVES)) {
    it(`gets its load balancer when ${how}`, async () => {
      const rules = await ruled();
      const { run } = rules;
      await apply(run, FAULTY);
      assert.deepEqual([changes(run), standing(run)], [[], ['False', 'InvalidObject']]);
      await run.cluster.quiet(60 * 60_000);
      assert.equal(events(run, 'SyncLoadBalancerFailed').length, 1, 'and is told once meanwhile');
      await reprieve(rules);
      assert.deepEqual([portsOf(run), standing(run)[0]], [[80], 'True']);
      await run.process.stop();
    });

    it(`gets the rest of what it asks for when ${how}`, async () => {
      const rules = await ruled();
      const { run } = rules;
      await apply(run);
      await patch(run, { metadata: FAULTY, spec: { ports: ports(80, 81) } });
      assert.deepEqual([portsOf(run), standing(run)], [[80], ['False', 'InvalidObject']]);
      await reprieve(rules);
      assert.deepEqual([portsOf(run), standing(run)[0]], [[80, 81], 'True']);
      await run.process.stop();
    });
  }

  const BY_LABEL = { serviceSelector: { matchLabels: { ok: 'yes' } } };
  const SELECTED = { selector: { ...BY_LABEL, namespaceSelector: { matchLabels: { team: 'shop' } } } };
  for (const rule of ['policy/p/c', 'annotation-value']) {
    it(`gets its load balancer when a label brings it under an exception for ${rule}`, async () => {
      const { run, except, setLabels } = await ruled(rule === 'policy/p/c' ? requiring(INTRANET) : undefined);
      await setLabels('shop', { team: 'shop' });
      except(always(rule, SELECTED));
      await apply(run, rule === 'policy/p/c' ? {} : FAULTY);
      assert.deepEqual(changes(run), []);
      await patch(run, { metadata: { labels: { ok: 'yes' } } });
      assert.deepEqual([portsOf(run), standing(run)[0]], [[80], 'True']);
      await run.process.stop();
    });
  }

  it('stays denied if a stored exception matches only its own labels', async () => {
    const { run, except, setLabels } = await ruled();
    await setLabels('shop', { team: 'shop' });
    except(always('annotation-value', { selector: BY_LABEL }));
    await apply(run, FAULTY);
    await patch(run, { metadata: { labels: { ok: 'yes' } } });
    assert.deepEqual([changes(run), standing(run)], [[], ['False', 'InvalidObject']]);
    await run.process.stop();
  });
});
