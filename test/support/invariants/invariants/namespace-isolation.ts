import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant, Violation } from '../moment.ts';
import { isOurWrite, isOwnedBy, serviceNamed, Services } from '../ownership.ts';

const namespaceOf = ({ metadata }: Service): string => metadata.namespace;

/** Returns whether a message names a Service of another namespace. */
const contains = (message: string, { metadata: { namespace, name } }: Service): boolean =>
  message.includes(`${namespace}/${name}`) || message.includes(`/${name}/${namespace}/`);

/** Traffic or messages of one tenant must not reach another tenant. */
export const namespaceIsolation: Invariant = {
  name: 'NamespaceIsolation',
  statement: 'no resource or event of a Service contains another namespace',
  check(history, { evaluated }) {
    const services = new Services();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (moment.kind === 'emitted' && moment.target.kind === 'Service') {
        evaluated();
        const { namespace } = moment.target;
        const other = services.known.find((one) => namespaceOf(one) !== namespace && contains(moment.message, one));
        if (other !== undefined)
          violations.push({
            at,
            found: `an event in ${namespace ?? ''} names ${namespaceOf(other)}/${other.metadata.name}`,
          });
      }
      if (moment.kind !== 'sent' || !isOurWrite(moment.call) || moment.target === undefined) return;
      const { call, target } = moment;
      const named = serviceNamed(call.parameters['VServerGroupName'] ?? call.parameters['Description'] ?? '');
      const owner = services.known.find((service) => isOwnedBy(target, service));
      if (named === undefined || owner === undefined) return;
      evaluated();
      if (named.startsWith(`${namespaceOf(owner)}/`)) return;
      violations.push({
        at,
        found: `${call.action} was sent for ${named} about the load balancer of ${namespaceOf(owner)}`,
      });
    });
    return violations;
  },
};
