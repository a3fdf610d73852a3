import assert from 'node:assert/strict';
import type { LoadBalancerException } from '../../../../src/policy/custom-resources.ts';
import { anException } from '../../../support/policy.ts';
import { INTRANET, ports, portsOf, requiring, ruled, type Ruled } from '../../../support/policy-controller.ts';
import { annotated, apply, changes, events, patch, statusAndReason } from '../../../support/running-controller.ts';

const INVALID = { annotations: annotated({ scheduler: 'nonsense' }) };
const always = (rule: string, spec: Partial<LoadBalancerException['spec']> = {}): LoadBalancerException =>
  anException('e', { rule, expires: '2030-01-01T00:00:00Z', ...spec });

/** A denied Service must continue as soon as an exception or a relaxed policy permits it, without an edit. */
describe('a denied Service', () => {
  const WAYS: Readonly<Record<string, (rules: Ruled) => Promise<void>>> = {
    'an exception permits it': async ({ run, except }) => {
      except(always('annotation-value'));
      await run.cluster.quiet();
    },
    'a policy changes the mode of the rule to warn': ({ enforce }) =>
      enforce({ rules: [{ rule: 'annotation-value', mode: 'warn' }] }),
  };
  for (const [how, permit] of Object.entries(WAYS)) {
    it(`gets its load balancer after ${how}`, async () => {
      const rules = await ruled();
      const { run } = rules;
      await apply(run, INVALID);
      assert.deepEqual([changes(run), statusAndReason(run)], [[], ['False', 'Invalid']]);
      await run.cluster.quiet(60 * 60_000);
      assert.equal(events(run, 'SyncLoadBalancerFailed').length, 1);
      await permit(rules);
      assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[80], 'True']);
      await run.process.stop();
    });

    it(`is synced completely after ${how}`, async () => {
      const rules = await ruled();
      const { run } = rules;
      await apply(run);
      await patch(run, { metadata: INVALID, spec: { ports: ports(80, 81) } });
      assert.deepEqual([portsOf(run), statusAndReason(run)], [[80], ['False', 'Invalid']]);
      await permit(rules);
      assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[80, 81], 'True']);
      await run.process.stop();
    });
  }

  const BY_LABEL = { serviceSelector: { matchLabels: { ok: 'yes' } } };
  const SELECTED = { selector: { ...BY_LABEL, namespaceSelector: { matchLabels: { team: 'shop' } } } };
  for (const rule of ['policy/p/c', 'annotation-value']) {
    it(`gets its load balancer after an exception for ${rule} selects it by a label`, async () => {
      const { run, except, setLabels } = await ruled(rule === 'policy/p/c' ? requiring(INTRANET) : undefined);
      await setLabels('shop', { team: 'shop' });
      except(always(rule, SELECTED));
      await apply(run, rule === 'policy/p/c' ? {} : INVALID);
      assert.deepEqual(changes(run), []);
      await patch(run, { metadata: { labels: { ok: 'yes' } } });
      assert.deepEqual([portsOf(run), statusAndReason(run)[0]], [[80], 'True']);
      await run.process.stop();
    });
  }

  it('stays denied if an exception selects the Service only by labels, and no namespace', async () => {
    const { run, except, setLabels } = await ruled();
    await setLabels('shop', { team: 'shop' });
    except(always('annotation-value', { selector: BY_LABEL }));
    await apply(run, INVALID);
    await patch(run, { metadata: { labels: { ok: 'yes' } } });
    assert.deepEqual([changes(run), statusAndReason(run)], [[], ['False', 'Invalid']]);
    await run.process.stop();
  });
});
