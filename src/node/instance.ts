/** The properties of an ECS instance that Nodes need. */
export interface Instance {
  /** `i-…` */
  readonly id: string;
  readonly regionId: string;
  readonly zoneId: string;
  /** The type, for example `ecs.g7.large`. */
  readonly instanceType: string;
  /** The name that users give to the instance. */
  readonly name: string;
  readonly hostName: string;
  /** The operating system reports the serial number as the machine's UUID. */
  readonly serialNumber: string;
  readonly vpcId: string;
  /** `Running`, `Stopped`, `Starting`, `Stopping`, `Pending`. */
  readonly status: string;
  /** `PrePaid` or `PostPaid`. */
  readonly chargeType: string;
  /** `NoSpot`, `SpotWithPriceLimit`, `SpotAsPriceGo`. */
  readonly spotStrategy: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly addresses: InstanceAddresses;
  /** `eni-…`; undefined if the cloud does not report the interface yet. */
  readonly primaryInterfaceId?: string;
}

/** The addresses in the cloud's order, without those of secondary interfaces, which belong to pods. */
export interface InstanceAddresses {
  readonly public: readonly string[];
  /** At most one address. */
  readonly elastic: readonly string[];
  /** Addresses in the classic network. */
  readonly classic: readonly string[];
  readonly private: readonly string[];
  /** Addresses of the primary interface. */
  readonly ipv6: readonly string[];
}
