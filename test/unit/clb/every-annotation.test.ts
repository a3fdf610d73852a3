import assert from 'node:assert/strict';
import { ENTRIES, type OptionName } from '../../../src/annotation/catalogue.ts';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import { buildDesired, buildAbsent, nodeSelection, ownerOf } from '../../../src/clb/desired/build.ts';
import { wantsElastic } from '../../../src/inventory/published-addresses.ts';
import { desiredIngress } from '../../../src/controller/service/status/ingress.ts';
import { SETTINGS } from '../../support/simulated-controller.ts';
import { aService } from '../../support/service.ts';
import { wantsLoadBalancer } from '../../../src/rules/engine/subject.ts';
import { aSlice } from '../../support/simulated-cluster.ts';
import { aNode } from '../../support/node.ts';
import { backendNodes } from '../../../src/clb/desired/backend-nodes.ts';

type Annotations = Readonly<Record<string, string>>;
const LB = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
const keyed = (input: Annotations): Annotations =>
  Object.fromEntries(Object.entries(input).map(([suffix, value]) => [`${LB}${suffix}`, value]));

/** A port of each protocol, so that every listener annotation has an effect. */
const PORTS = [
  ...[80, 443, 22].map((port) => ({
    name: `p${port}`,
    port,
    protocol: 'TCP',
    targetPort: port,
    nodePort: 30_000 + port,
  })),
  { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30_053 },
];
const PROTOCOLS = { 'protocol-port': 'http:80,https:443' };
const REUSING = { id: 'lb-1', 'force-override-listeners': 'true' };

/** The annotations that other annotations need for an effect. */
const REQUIRED: Readonly<Partial<Record<OptionName, Annotations>>> = {
  spec: { 'instance-charge-type': 'PayBySpec' },
  bandwidth: { 'charge-type': 'paybybandwidth' },
  vswitchId: { 'address-type': 'intranet' },
  forceOverrideListeners: { id: 'lb-1' },
  vgroupPort: REUSING,
  weight: { ...REUSING, 'vgroup-port': 'rsp-a:80' },
  backendIpVersion: { 'ip-version': 'ipv6' },
};
/** The values that differ from the behaviour without the annotation. */
const VALUES: Readonly<Partial<Record<OptionName, string>>> = {
  forceOverrideListeners: 'true',
  removeUnscheduledBackend: 'on',
  ignoreWeightUpdate: 'on',
  backendIpVersion: 'ipv6',
  vgroupPort: 'rsp-a:80',
  protocolPort: 'http:22',
  forwardPort: '80:443',
};

/** Returns every effect of annotations: requests to the cloud while the Service exists and on its deletion, and its status. */
function outcome(annotations: Annotations, backendType: 'ecs' | 'eni'): string {
  const service = aService({ annotations, ports: PORTS });
  const { options } = parseAnnotations(annotations);
  const selection = nodeSelection(options);
  const nodes = backendNodes([aNode('n1')], selection);
  const settings = { ...SETTINGS, disabledIpv6Gates: [], backendType };
  const slices = [aSlice(service, ['n1'])];
  return JSON.stringify([
    wantsLoadBalancer(service),
    selection,
    buildDesired({ service, options, slices, nodes, settings }),
    buildAbsent(ownerOf(service, settings), options),
    desiredIngress(options, ['47.0.0.1']),
    wantsElastic(options),
  ]);
}

/** An annotation without an effect would mislead users, because the documentation describes it. */
describe('every annotation of the catalogue', () => {
  for (const [option, { key, suffix, example }] of ENTRIES) {
    it(`${suffix} has an effect`, () => {
      const required = keyed({ ...(option === 'protocolPort' ? {} : PROTOCOLS), ...REQUIRED[option] });
      // A Node has both address families, so this annotation has an effect only with pods as backends.
      const backendType = option === 'backendIpVersion' ? 'eni' : 'ecs';
      const changed = outcome({ ...required, [key]: VALUES[option] ?? example }, backendType);
      assert.notEqual(changed, outcome(required, backendType));
    });
  }
});
