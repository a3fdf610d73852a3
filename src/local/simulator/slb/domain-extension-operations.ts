import { CloudError } from '../error.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { required, text, type Arguments } from '../parameter.ts';
import type { DomainExtensionRow } from './table-rows.ts';
import type { SimulatedRegion } from '../simulated-region.ts';
import {
  LISTENER_PORT,
  LOAD_BALANCER_ID,
  loadBalancerSubject,
  read,
  REGION_ID,
  theChangeable,
  theLoadBalancer,
  write,
} from './common-parameters.ts';
import { portOf, theListener } from './listener-operations.ts';

const REGION = required(REGION_ID);
const EXTENSION_ID = required(text('DomainExtensionId'));
const RATE = { calls: 400, seconds: 60 };

function theExtension(args: Arguments, { world }: OperationContext): DomainExtensionRow {
  const id = args.text('DomainExtensionId');
  const found = world.domainExtensions.get(id);
  if (found !== undefined) return found;
  throw new CloudError('InvalidParameter.DomainExtensionId', `The domain extension ${id} does not exist.`);
}

const subject = (args: Arguments, world: SimulatedRegion): string | undefined =>
  world.domainExtensions.get(args.text('DomainExtensionId'))?.loadBalancerId;

function theCertificate(args: Arguments, { world }: OperationContext): string {
  const id = args.optional('ServerCertificateId') ?? '';
  if (world.certificates.get(id) === undefined) {
    throw new CloudError('CertificateNotExist', `The certificate "${id}" does not exist.`);
  }
  return id;
}

const extensionsOf = (
  { world }: OperationContext,
  loadBalancerId: string,
  port: number,
): readonly DomainExtensionRow[] =>
  world.domainExtensions.rows().filter((one) => one.loadBalancerId === loadBalancerId && one.port === port);

function create(args: Arguments, context: OperationContext): OperationResult {
  const { world, settings, ids, now } = context;
  const balancer = theChangeable(args, context);
  const { port } = theListener(balancer, args, context, { protocol: 'https' });
  const [domain, certificateId] = [args.text('Domain'), theCertificate(args, context)];
  const present = extensionsOf(context, balancer.id, port);
  if (present.some((one) => one.domain === domain)) {
    throw new CloudError('DomainExist', `The listener on port ${port} already has the domain ${domain}.`);
  }
  if (present.length >= settings.domainExtensionsPerListener) {
    throw new CloudError(
      'OverQuota',
      `A listener has at most ${settings.domainExtensionsPerListener} further domains.`,
    );
  }
  const id = ids.id('de-');
  world.domainExtensions.insert({ id, loadBalancerId: balancer.id, port, domain, certificateId }, now);
  return { DomainExtensionId: id, ListenerPort: port };
}

const view = ({ id, domain, certificateId }: DomainExtensionRow): OperationResult => ({
  DomainExtensionId: id,
  Domain: domain,
  ServerCertificateId: certificateId,
});

function describeAll(args: Arguments, context: OperationContext): OperationResult {
  const balancer = theLoadBalancer(args, context);
  const id = args.optional('DomainExtensionId') ?? '';
  const found = extensionsOf(context, balancer.id, portOf(args)).filter((one) => id === '' || one.id === id);
  return { DomainExtensions: { DomainExtension: found.map(view) } };
}

/** The operations on domain extensions, which are the further domains and certificates of an HTTPS listener. */
export const DOMAIN_EXTENSION_OPERATIONS: readonly SimulatedOperation[] = [
  write({
    action: 'CreateDomainExtension',
    rate: RATE,
    parameters: [
      required(text('Domain', { length: [1, 255] })),
      LISTENER_PORT,
      LOAD_BALANCER_ID,
      REGION,
      text('ServerCertificateId'),
    ],
    subject: loadBalancerSubject,
    busyCode: 'DomainExtensionProcessing',
    handle: create,
  }),
  write({
    action: 'SetDomainExtensionAttribute',
    rate: RATE,
    parameters: [EXTENSION_ID, REGION, required(text('ServerCertificateId'))],
    subject,
    busyCode: 'DomainExtensionProcessing',
    handle: (args, context) => {
      theExtension(args, context).certificateId = theCertificate(args, context);
      return {};
    },
  }),
  write({
    action: 'DeleteDomainExtension',
    rate: RATE,
    parameters: [EXTENSION_ID, REGION],
    subject,
    busyCode: 'DomainExtensionProcessing',
    handle: (args, context) => {
      context.world.domainExtensions.remove(theExtension(args, context).id, context.now);
      return {};
    },
  }),
  read({
    action: 'DescribeDomainExtensions',
    parameters: [text('DomainExtensionId'), LISTENER_PORT, LOAD_BALANCER_ID, REGION],
    handle: describeAll,
  }),
  read({
    action: 'DescribeDomainExtensionAttribute',
    parameters: [EXTENSION_ID, REGION],
    handle: (args, context) => {
      const found = theExtension(args, context);
      return { ...view(found), LoadBalancerId: found.loadBalancerId, ListenerPort: found.port };
    },
  }),
];
