/** The properties of an ECS instance that the node controller needs. */
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
  /** The serial number of the machine, which the operating system reports as the machine's UUID. */
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

/** The addresses of an instance in the cloud's order. Addresses of secondary interfaces are missing, because they belong to pods. */
export interface InstanceAddresses {
  readonly public: readonly string[];
  /** The elastic IP address, at most one. */
  readonly elastic: readonly string[];
  /** Addresses in the classic network. */
  readonly classic: readonly string[];
  readonly private: readonly string[];
  /** Addresses of the primary interface. */
  readonly ipv6: readonly string[];
}
