import assert from 'node:assert/strict';
import { instanceApi } from '../../../src/alibaba/ecs/instances.ts';
import { interfacesApi } from '../../../src/alibaba/ecs/interfaces-by-address.ts';
import { elasticAddressApi } from '../../../src/alibaba/vpc/elastic-addresses.ts';
import { routeApi } from '../../../src/alibaba/vpc/routes.ts';
import { aCall, executorBench, scriptedCloud } from '../../support/scripted-cloud.ts';
import { group, lb, scriptedSlb } from '../../support/scripted-slb.ts';

const call = aCall();
const REGION = 'cn-hangzhou';
const slb = (answer: object) => scriptedSlb(answer).clb;
const executor = (answer: object) => executorBench(scriptedCloud(answer).transport).executor;

/** Lists with their empty answer, and the call that reads them. */
const LISTS: Readonly<Record<string, { readonly empty: object; readonly ask: (answer: object) => Promise<unknown> }>> =
  {
    'load balancers with a tag': {
      empty: { LoadBalancers: { LoadBalancer: [] } },
      ask: (answer) => slb(answer).findByTag('a', 'b', call),
    },
    'server groups': {
      empty: { VServerGroups: { VServerGroup: [] } },
      ask: (answer) => slb(answer).listServerGroups(lb('lb-1'), call),
    },
    'the members of a server group': {
      empty: { VServerGroupId: 'rsp-1', BackendServers: { BackendServer: [] } },
      ask: (answer) =>
        slb({ VServerGroupId: 'rsp-1', ...answer })
          .readServerGroup(group('rsp-1'), call)
          .then(({ backends }) => backends),
    },
    'additional domains': {
      empty: { DomainExtensions: { DomainExtension: [] } },
      ask: (answer) => slb(answer).listDomainExtensions(lb('lb-1'), 443, call),
    },
    certificates: {
      empty: { ServerCertificates: { ServerCertificate: [] } },
      ask: async (answer) => ((await slb(answer).readCertificate('cert-1', call)) === undefined ? [] : ['cert-1']),
    },
    'elastic addresses': {
      empty: { EipAddresses: { EipAddress: [] } },
      ask: (answer) => elasticAddressApi(executor(answer), REGION).listElasticAddresses(lb('lb-1'), call),
    },
    'interfaces by their addresses': {
      empty: { NetworkInterfaceSets: { NetworkInterfaceSet: [] } },
      ask: async (answer) => [
        ...(await interfacesApi(executor(answer), REGION).findInterfaces('vpc-1', ['10.0.0.1'], call)),
      ],
    },
    instances: {
      empty: { Instances: { Instance: [] } },
      ask: (answer) => instanceApi(executor(answer), REGION).describe(['i-1'], call),
    },
    'interfaces by their ids': {
      empty: { NetworkInterfaceSets: { NetworkInterfaceSet: [] } },
      ask: (answer) => instanceApi(executor(answer), REGION).describeInterfaces(['eni-1'], call),
    },
    'route tables': {
      empty: { RouterTableList: { RouterTableListType: [] }, TotalCount: 0 },
      ask: (answer) => routeApi(executor(answer), REGION).listTables('vpc-1', call),
    },
    'route entries': {
      empty: { RouteEntrys: { RouteEntry: [] } },
      ask: (answer) => routeApi(executor(answer), REGION).listEntries('vtb-1', call),
    },
  };

/** An omitted list must not count as an empty list, because an empty list leads to deletions. */
describe('a list of the cloud', () => {
  for (const [what, { empty, ask }] of Object.entries(LISTS)) {
    it(`of ${what} is empty if the response has an empty list`, async () => {
      assert.deepEqual(await ask(empty), []);
    });

    it(`of ${what} is an error if the response omits the list or its entries`, async () => {
      const hollow = Object.fromEntries(
        Object.entries(empty).map(([name, value]) => [name, typeof value === 'object' ? {} : (value as unknown)]),
      );
      for (const answer of [{ RequestId: 'R' }, hollow])
        await assert.rejects(ask(answer), { reason: 'Unavailable', message: /the response is not valid/ });
    });
  }
});
