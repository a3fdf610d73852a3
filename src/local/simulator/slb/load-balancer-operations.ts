import { CloudError } from '../error.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { choice, integer, required, text, type Arguments, type Parameter } from '../parameter.ts';
import type { LoadBalancerRow } from './table-rows.ts';
import {
  LOAD_BALANCER_ID,
  loadBalancerSubject,
  REGION_ID,
  theChangeable,
  theLoadBalancer,
  write,
} from './common-parameters.ts';
import { LCU_SPEC, NAME_RULE, SPECS } from './create-load-balancer.ts';

/** Returns an operation that changes a load balancer and has an empty response. */
const change = (
  action: string,
  parameters: readonly Parameter[],
  apply: (balancer: LoadBalancerRow, args: Arguments, context: OperationContext) => void,
  rate?: SimulatedOperation['rate'],
): SimulatedOperation =>
  write({
    action,
    parameters: [LOAD_BALANCER_ID, REGION_ID, ...parameters],
    subject: loadBalancerSubject,
    busyCode: 'OperationBusy',
    ...(rate && { rate }),
    handle: (args, context): OperationResult => {
      apply(theChangeable(args, context), args, context);
      return {};
    },
  });

const byLcu = (): CloudError =>
  new CloudError('OperationDenied.PayByCLCU', 'The load balancer is charged by LCU; the change is not possible.');

function setSpec(balancer: LoadBalancerRow, args: Arguments): void {
  if (balancer.instanceChargeType === 'PayByCLCU') throw byLcu();
  balancer.spec = args.text('LoadBalancerSpec');
}

function setInternetSpec(balancer: LoadBalancerRow, args: Arguments): void {
  if (balancer.instanceChargeType === 'PayByCLCU') throw byLcu();
  if (balancer.addressType === 'intranet') {
    throw new CloudError(
      'Instance.InternetChargeTypeNotAllowed',
      'The load balancer has no public address, so it has no public bandwidth to charge.',
    );
  }
  balancer.bandwidth = args.integer('Bandwidth') ?? balancer.bandwidth;
  // The cloud changes the charge type at midnight, but the simulator changes the type immediately, so that tests need not wait.
  const type = args.optional('InternetChargeType');
  if (type !== undefined) balancer.internetChargeType = type === 'paybybandwidth' ? type : 'paybytraffic';
}

function setChargeType(balancer: LoadBalancerRow, args: Arguments): void {
  if (balancer.instanceChargeType === 'PayByCLCU') throw byLcu();
  if (args.text('InstanceChargeType') !== 'PayByCLCU') {
    throw new CloudError('InvalidParameter', 'The only change allowed is from PayBySpec to PayByCLCU.');
  }
  balancer.instanceChargeType = 'PayByCLCU';
  balancer.internetChargeType = 'paybytraffic';
  balancer.spec = LCU_SPEC;
}

function setModificationProtection(balancer: LoadBalancerRow, args: Arguments): void {
  const on = args.text('ModificationProtectionStatus') === 'ConsoleProtection';
  balancer.modificationProtection = on ? 'ConsoleProtection' : 'NonProtection';
  balancer.modificationProtectionReason = on ? args.optional('ModificationProtectionReason') : undefined;
}

function setStatus(balancer: LoadBalancerRow, args: Arguments): void {
  balancer.status = args.text('LoadBalancerStatus') === 'active' ? 'active' : 'inactive';
}

/** Removes a load balancer with its server groups, domain extensions and tags. Runs in `DeleteLoadBalancer`, and for seeds that remove resources. */
export function removeLoadBalancer(
  balancer: LoadBalancerRow,
  { world, now }: Pick<OperationContext, 'world' | 'now'>,
): void {
  world.loadBalancers.remove(balancer.id, now);
  world.tags.drop('instance', balancer.id, now);
  for (const group of world.serverGroups.rows()) {
    if (group.loadBalancerId !== balancer.id) continue;
    world.serverGroups.remove(group.id, now);
    world.tags.drop('vservergroup', group.id, now);
  }
  for (const extension of world.domainExtensions.rows()) {
    if (extension.loadBalancerId === balancer.id) world.domainExtensions.remove(extension.id, now);
  }
  for (const { protocol, port } of balancer.listeners.values()) {
    world.tags.drop('listener', `${balancer.id}_${protocol}_${port}`, now);
  }
}

function deleteLoadBalancer(args: Arguments, context: OperationContext): OperationResult {
  const balancer = theLoadBalancer(args, context);
  if (balancer.deleteProtection === 'on') {
    throw new CloudError('OperationDenied.DeleteProtectionIsOn', 'Deletion protection is on; switch it off first.');
  }
  if (balancer.payType === 'PrePay') {
    throw new CloudError('InvalidChargeType', 'A prepaid load balancer cannot be deleted.');
  }
  if (balancer.status === 'locked') throw new CloudError('Operation.NotAllowed', 'The load balancer is locked.');
  removeLoadBalancer(balancer, context);
  return {};
}

const protection = [
  text('ModificationProtectionReason', { length: [0, 80], code: 'InvalidParam.ModificationProtectionReason' }),
  required(
    choice('ModificationProtectionStatus', ['NonProtection', 'ConsoleProtection'], {
      code: 'InvalidParam.ModificationProtectionStatus',
    }),
  ),
];
const bandwidth = integer('Bandwidth', [1, 5_000], { code: 'InvalidParameter.Bandwidth' });
const internetChargeType = choice('InternetChargeType', ['paybytraffic', 'paybybandwidth'], { anyCase: true });
const region = required(REGION_ID);

/** The operations that change and delete load balancers. */
export const LOAD_BALANCER_WRITES: readonly SimulatedOperation[] = [
  write({
    action: 'DeleteLoadBalancer',
    parameters: [LOAD_BALANCER_ID, REGION_ID],
    subject: loadBalancerSubject,
    busyCode: 'OperationBusy',
    handle: deleteLoadBalancer,
  }),
  change('SetLoadBalancerName', [required(text('LoadBalancerName', NAME_RULE))], (balancer, args) => {
    balancer.name = args.text('LoadBalancerName');
  }),
  change('SetLoadBalancerStatus', [required(choice('LoadBalancerStatus', ['active', 'inactive']))], setStatus),
  change(
    'SetLoadBalancerDeleteProtection',
    [region, required(choice('DeleteProtection', ['on', 'off']))],
    (balancer, args) => {
      balancer.deleteProtection = args.text('DeleteProtection') === 'on' ? 'on' : 'off';
    },
  ),
  change('SetLoadBalancerModificationProtection', [region, ...protection], setModificationProtection, {
    calls: 400,
    seconds: 60,
  }),
  change('ModifyLoadBalancerInstanceSpec', [required(choice('LoadBalancerSpec', SPECS))], setSpec),
  change('ModifyLoadBalancerInternetSpec', [bandwidth, internetChargeType], setInternetSpec),
  change(
    'ModifyLoadBalancerInstanceChargeType',
    [
      region,
      bandwidth,
      internetChargeType,
      choice('LoadBalancerSpec', SPECS),
      required(choice('InstanceChargeType', ['PayBySpec', 'PayByCLCU'])),
    ],
    setChargeType,
  ),
];
