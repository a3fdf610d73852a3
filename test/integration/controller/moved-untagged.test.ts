import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  changes,
  loadBalancers,
  messageOf,
  now,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const HALF_AN_HOUR_MS = 30 * 60_000;

const onNode = ({ cluster }: Running, node: string): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService({ ports: [80, 443] }), [node]));
};
const own = (run: Running) => loadBalancers(run).find(({ id }) => id !== 'lb-b');
/** The instances behind the groups of its own load balancer. */
const backends = (run: Running): readonly string[] =>
  (own(run)?.serverGroups ?? []).flatMap((group) => group.backends.map(({ serverId }) => serverId));

interface Away {
  readonly isRestarted?: boolean;
  /** Whether a tag, by its key, is away. */
  readonly lost?: (key: string) => boolean;
}

/** A Service that goes over to `lb-b` while the tags of its own load balancer are away; people have one of its ports there, or none. */
async function moved(isWhole: boolean, { isRestarted = false, lost = () => true }: Away) {
  const listeners = isWhole ? [] : [{ port: 443, protocol: 'tcp' }];
  const first = await running({}, { loadBalancers: [{ id: 'lb-b', name: 'b', address: '47.1.1.2', listeners }] });
  const { cluster } = first;
  const before = cloudPicture(cluster.simulator);
  onNode(first, 'n1');
  const service = aService({ ports: [80, 443] });
  cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await cluster.quiet();
  const resource = { ResourceType: 'instance', 'ResourceId.1': own(first)?.id ?? '' };
  const tags = Object.entries(own(first)?.tags ?? {}).filter(([key]) => lost(key));
  const numbered = (what: (tag: [string, string], n: string) => [string, string][]): Record<string, string> =>
    Object.fromEntries(tags.flatMap((tag, at) => what(tag, String(at + 1))));
  await cluster.ask('UntagResources', { ...resource, ...numbered(([key], n) => [[`TagKey.${n}`, key]]) });
  if (isRestarted) await first.process.stop();
  const run = isRestarted ? { cluster, process: cluster.start() } : first;
  const annotations = annotated({ id: 'lb-b', 'force-override-listeners': 'true' });
  cluster.kubernetes.patch(SERVICES, KEY, { status: { loadBalancer: null }, metadata: { annotations } });
  await cluster.quiet(HALF_AN_HOUR_MS);
  const tagAgain = async (): Promise<void> => {
    const again = numbered(([key, value], n) => [
      [`Tag.${n}.Key`, key],
      [`Tag.${n}.Value`, value],
    ]);
    await cluster.ask('TagResources', { ...resource, ...again });
    await cluster.quiet(HALF_AN_HOUR_MS);
  };
  return { run, before, tagAgain };
}

const goes = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, KEY);
  await cluster.quiet(HALF_AN_HOUR_MS);
};

const AWAY: Readonly<Record<string, Away>> = {
  'whose tags are away': {},
  'whose owner tag alone is away': { lost: (key) => key === 'kubernetes.do.not.delete' },
  'whose tags are away since before the process began': { isRestarted: true },
};

for (const [which, away] of Object.entries(AWAY))
  describe(`an own load balancer ${which} while its Service goes over to another`, () => {
    it('is kept up where it serves a port alone, without and with them, and goes with the Service', async () => {
      const { run, before, tagAgain } = await moved(false, away);
      onNode(run, 'n2');
      await run.cluster.quiet(HALF_AN_HOUR_MS);
      assert.deepEqual(
        [backends(run), standing(run)],
        [
          ['i-2', 'i-2'],
          ['False', 'PortOwner'],
        ],
      );
      await tagAgain();
      onNode(run, 'n1');
      await run.cluster.quiet(HALF_AN_HOUR_MS);
      assert.deepEqual(backends(run), ['i-1', 'i-1']);
      await goes(run);
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await run.process.stop();
    });

    it('is left as it is until they are back, which the condition says, and goes then', async () => {
      const { run, tagAgain } = await moved(true, away);
      assert.deepEqual([own(run)?.listeners.length, standing(run)], [2, ['False', 'Rejected']]);
      assert.match(messageOf(run), /give it the tag kubernetes.do.not.delete back/);
      const [written, since] = [run.cluster.kubernetes.writes.length, now(run)];
      await run.cluster.quiet(HALF_AN_HOUR_MS);
      assert.deepEqual([run.cluster.kubernetes.writes.slice(written), changes(run, since)], [[], []]);
      await tagAgain();
      assert.deepEqual([own(run), standing(run)[0]], [undefined, 'True']);
      await run.process.stop();
    });

    it('is told of where another of its own serves by then, also once they are back, and goes with the Service', async () => {
      const { run, before, tagAgain } = await moved(false, away);
      const annotations = annotated({ id: null, 'force-override-listeners': null });
      run.cluster.kubernetes.patch(SERVICES, KEY, { status: { loadBalancer: null }, metadata: { annotations } });
      await run.cluster.quiet(HALF_AN_HOUR_MS);
      assert.deepEqual([loadBalancers(run).length, standing(run)], [3, ['False', 'Rejected']]);
      await tagAgain();
      assert.deepEqual([loadBalancers(run).length, standing(run)], [3, ['False', 'Rejected']]);
      assert.match(messageOf(run), /it is marked as its own too; delete it/);
      await goes(run);
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await run.process.stop();
    });

    it('holds a Service that is to go until they are back', async () => {
      const { run, tagAgain } = await moved(true, away);
      await goes(run);
      assert.notEqual(run.cluster.service(), undefined);
      await tagAgain();
      const left = loadBalancers(run).map(({ id, listeners, serverGroups }) => [id, listeners, serverGroups]);
      assert.deepEqual([left, run.cluster.service()], [[['lb-b', [], []]], undefined]);
      await run.process.stop();
    });
  });
