import type { InstanceRow, NetworkInterfaceRow } from './ecs/table-rows.ts';
import type {
  AccessControlList,
  CertificateRow,
  DomainExtensionRow,
  LoadBalancerRow,
  VServerGroupRow,
} from './slb/table-rows.ts';
import type { Role } from './sts/table-rows.ts';
import { Table } from './table.ts';
import { TagStore } from './tag-store.ts';
import type { Eip, RouteTableRow, Vpc, VSwitch } from './vpc/table-rows.ts';

/** The resources of the simulated region, with a table for each kind. Operations read and change the tables. */
export class SimulatedRegion {
  readonly regionId: string;
  readonly tags = new TagStore();
  readonly loadBalancers = new Table<LoadBalancerRow>();
  readonly serverGroups = new Table<VServerGroupRow>();
  readonly domainExtensions = new Table<DomainExtensionRow>();
  readonly accessControlLists = new Table<AccessControlList>();
  readonly certificates = new Table<CertificateRow>();
  readonly vpcs = new Table<Vpc>();
  readonly vSwitches = new Table<VSwitch>();
  readonly routeTables = new Table<RouteTableRow>();
  readonly eips = new Table<Eip>();
  readonly instances = new Table<InstanceRow>();
  readonly networkInterfaces = new Table<NetworkInterfaceRow>();
  readonly roles = new Table<Role>();

  constructor(regionId: string) {
    this.regionId = regionId;
  }

  /**
   * Records which resources exist, and returns a function that undoes later creations and deletions. `plantSeed` calls this function if a seed fails.
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
