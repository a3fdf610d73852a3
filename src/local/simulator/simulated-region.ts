import type { InstanceRow, NetworkInterfaceRow } from './ecs/table-rows.ts';
import type {
  AccessControlListRow,
  CertificateRow,
  DomainExtensionRow,
  LoadBalancerRow,
  VServerGroupRow,
} from './slb/table-rows.ts';
import type { RoleRow } from './sts/stored-role.ts';
import { Table } from './table.ts';
import { TagStore } from './tag-store.ts';
import type { EipRow, RouteTableRow, VpcRow, VSwitchRow } from './vpc/table-rows.ts';

/** The resources of the simulated region, with a table for each kind. Operations read and change the tables. */
export class SimulatedRegion {
  readonly regionId: string;
  readonly tags = new TagStore();
  readonly loadBalancers = new Table<LoadBalancerRow>();
  readonly serverGroups = new Table<VServerGroupRow>();
  readonly domainExtensions = new Table<DomainExtensionRow>();
  readonly accessControlLists = new Table<AccessControlListRow>();
  readonly certificates = new Table<CertificateRow>();
  readonly vpcs = new Table<VpcRow>();
  readonly vSwitches = new Table<VSwitchRow>();
  readonly routeTables = new Table<RouteTableRow>();
  readonly eips = new Table<EipRow>();
  readonly instances = new Table<InstanceRow>();
  readonly networkInterfaces = new Table<NetworkInterfaceRow>();
  readonly roles = new Table<RoleRow>();

  constructor(regionId: string) {
    this.regionId = regionId;
  }

  /**
   * Records which resources exist, and returns a function that undoes later creations and deletions, with which `plantSeed` undoes a failed seed.
   */
  mark(): () => void {
    const restores = Object.values(this)
      .filter((part: unknown): part is Table<never> | TagStore => part instanceof Table || part instanceof TagStore)
      .map((part) => part.mark());
    return () => {
      for (const restore of restores) restore();
    };
  }
}
