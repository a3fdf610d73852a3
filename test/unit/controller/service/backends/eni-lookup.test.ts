import assert from 'node:assert/strict';
import type { ServerId } from '../../../../../src/clb/model/ids.ts';
import type { NetworkApi } from '../../../../../src/clb/model/network-api.ts';
import type { PodBackend } from '../../../../../src/clb/model/server-group.ts';
import type { WantedResources } from '../../../../../src/clb/model/desired-and-observed-state.ts';
import {
  ADDRESS_PERIOD_MS,
  locate,
  locatedBefore,
  vpcRanges,
  type KnownAddresses,
} from '../../../../../src/controller/service/backends/eni-lookup.ts';
import { PortcullisError } from '../../../../../src/base/errors.ts';
import { aCall } from '../../../../support/scripted-cloud.ts';
import { aPresent, groupName } from '../../../../support/clb-objects.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const NAME = groupName(8080);
const pod = (serverIp: string, owner = serverIp): PodBackend => ({
  type: 'eni',
  serverIp,
  port: 8080,
  weight: 100,
  description: NAME,
  pod: owner,
});
const wanting = (...backends: readonly PodBackend[]): WantedResources => ({
  ...aPresent({ groups: [] }),
  groups: [{ name: NAME, backends }],
});

/** Creates a network in which each of these addresses has a network interface with the address as its name. */
function bench(present: readonly string[], ranges: readonly string[] = ['10.0.0.0/8', '2001:db8::/32']) {
  const clock = new VirtualClock();
  const requests: string[][] = [];
  let rangesRead = 0;
  const has = new Set(present);
  const network: Pick<NetworkApi, 'findInterfaces' | 'listRanges'> = {
    findInterfaces: async (_vpc, addresses) => {
      requests.push([...addresses]);
      return new Map(addresses.filter((each) => has.has(each)).map((each) => [each, `eni-${each}` as ServerId]));
    },
    listRanges: async () => {
      rangesRead += 1;
      return ranges;
    },
  };
  const known: KnownAddresses = new Map();
  const isNear = vpcRanges('vpc-1', network, clock);
  const lookup = { vpcId: 'vpc-1', network, isNear, clock, context: aCall() };
  return {
    clock,
    requests,
    has,
    known,
    network,
    rangesRead: () => rangesRead,
    find: (wanted: WantedResources, over: Partial<typeof lookup> = {}) => locate(wanted, known, { ...lookup, ...over }),
  };
}

/** If an address moves to another pod, a stale network interface in the cache would send the traffic to a wrong pod. */
describe('the lookup of network interfaces of pods', () => {
  it('requests an address only once if several server groups contain it', async () => {
    const { requests, find } = bench(['10.0.0.1']);
    const one = { name: NAME, backends: [pod('10.0.0.1')] };
    const found = await find({ ...wanting(), groups: [one, { ...one, name: groupName(8443) }] });
    assert.deepEqual(requests, [['10.0.0.1']]);
    assert.equal(found.interfaces.get('10.0.0.1'), 'eni-10.0.0.1');
  });

  it('requests only addresses that are not in the cache', async () => {
    const { requests, find } = bench(['10.0.0.1', '10.0.0.2']);
    await find(wanting(pod('10.0.0.1')));
    await find(wanting(pod('10.0.0.1'), pod('10.0.0.2')));
    assert.deepEqual(requests, [['10.0.0.1'], ['10.0.0.2']]);
  });

  it('requests an address again when it moves to another pod', async () => {
    const { requests, find } = bench(['10.0.0.1']);
    await find(wanting(pod('10.0.0.1', 'a')));
    await find(wanting(pod('10.0.0.1', 'b')));
    assert.equal(requests.length, 2);
  });

  it('requests an address again after an hour, and keeps the previous result if nothing is found', async () => {
    const { clock, has, find, requests } = bench(['10.0.0.1']);
    await find(wanting(pod('10.0.0.1')));
    has.clear();
    await clock.advance(ADDRESS_PERIOD_MS);
    const found = await find(wanting(pod('10.0.0.1')));
    assert.equal(requests.length, 2);
    assert.equal(found.interfaces.size, 1);
    assert.equal(found.missing.size, 0);
  });

  it('removes addresses from the cache when no Service uses them', async () => {
    const { known, find } = bench(['10.0.0.1']);
    await find(wanting(pod('10.0.0.1')));
    await find(wanting());
    assert.equal(known.size, 0);
  });

  it('distinguishes addresses without an interface in the VPC from addresses of other networks', async () => {
    const { find } = bench(['10.0.0.1']);
    const found = await find(wanting(pod('10.0.0.1'), pod('10.0.0.2'), pod('192.168.0.1'), pod('2001:db8::7')));
    assert.deepEqual([...found.interfaces.keys()], ['10.0.0.1']);
    assert.deepEqual([...found.missing], ['10.0.0.2', '2001:db8::7']);
    assert.deepEqual(found.newlyOutsideVpc, ['192.168.0.1']);
  });

  it('requests and logs an address of another network only once', async () => {
    const { requests, rangesRead, find } = bench([]);
    await find(wanting(pod('192.168.0.1')));
    const again = await find(wanting(pod('192.168.0.1')));
    assert.deepEqual(again.newlyOutsideVpc, []);
    assert.equal(requests.length, 1);
    assert.equal(rangesRead(), 1);
  });

  it('caches the CIDR blocks of the VPC for ten minutes', async () => {
    const { clock, rangesRead, find } = bench([]);
    await find(wanting(pod('10.0.0.2')));
    await find(wanting(pod('10.0.0.2')));
    assert.equal(rangesRead(), 1);
    await clock.advance(11 * 60_000);
    await find(wanting(pod('10.0.0.2')));
    assert.equal(rangesRead(), 2);
  });

  it('treats addresses as missing when a lookup fails, and requests them again later', async () => {
    const { network, find } = bench(['10.0.0.1']);
    const failing = async () => {
      throw new PortcullisError('Unavailable', 'unwell');
    };
    const found = await find(wanting(pod('10.0.0.1')), { network: { ...network, findInterfaces: failing } });
    assert.deepEqual([[...found.missing], found.failure?.message], [['10.0.0.1'], 'unwell']);
    assert.deepEqual([...(await find(wanting(pod('10.0.0.1')))).missing], [], 'the second lookup finds the address');
  });

  it('treats all addresses as addresses of the VPC while its CIDR blocks are unknown', async () => {
    const { find } = bench([]);
    const isNear = async () => {
      throw new PortcullisError('Forbidden', 'not allowed');
    };
    const found = await find(wanting(pod('192.168.0.1')), { isNear });
    assert.deepEqual([[...found.missing], found.newlyOutsideVpc], [['192.168.0.1'], []]);
    assert.equal(found.failure?.message, 'not allowed');
  });

  it('fails if the cloud rejects the access key', async () => {
    const { network, find } = bench([]);
    const failing = async () => {
      throw new PortcullisError('Unauthorized', 'unknown key');
    };
    const lookup = { network: { ...network, findInterfaces: failing } };
    await assert.rejects(find(wanting(pod('10.0.0.1')), lookup), /unknown key/);
  });

  it('fails without a configured VPC ID, but only if pods are backends', async () => {
    const { find } = bench([]);
    await assert.rejects(find(wanting(pod('10.0.0.1')), { vpcId: '' }), /set Global\.vpcid/);
    assert.equal((await find(wanting(), { vpcId: '' })).interfaces.size, 0);
  });
});

describe('the cache of network interfaces', () => {
  it('has a result only after the lookup of every address, also those of other networks', async () => {
    const { known, find, requests } = bench(['10.0.0.1']);
    const wanted = wanting(pod('10.0.0.1'), pod('192.168.0.1'));
    assert.equal(locatedBefore(wanted, known), undefined);
    await find(wanted);
    const { interfaces, missing } = locatedBefore(wanted, known) ?? {};
    assert.deepEqual([[...(interfaces ?? [])], missing?.size], [[['10.0.0.1', 'eni-10.0.0.1']], 0]);
    assert.equal(requests.length, 1);
  });

  it('has no result if an address moved to another pod or has no interface', async () => {
    const { known, find } = bench(['10.0.0.1']);
    await find(wanting(pod('10.0.0.1'), pod('10.0.0.2')));
    for (const other of [pod('10.0.0.1', 'another'), pod('10.0.0.2')])
      assert.equal(locatedBefore(wanting(other), known), undefined);
  });
});
