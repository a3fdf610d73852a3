/** An ECS instance, as far as Nodes are concerned. */
export interface Instance {
  /** `i-…` */
  readonly id: string;
  readonly regionId: string;
  readonly zoneId: string;
  /** `ecs.g7.large` */
  readonly instanceType: string;
  /** As people call it. */
  readonly name: string;
  readonly hostName: string;
  /** Seen by the machine's own system as its UUID. */
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
  /** `eni-…`; absent while the cloud does not say. */
  readonly primaryInterfaceId?: string;
}

/** In the cloud's order. Addresses of further interfaces, which belong to pods, are not among them. */
export interface InstanceAddresses {
  readonly public: readonly string[];
  /** At most one. */
  readonly elastic: readonly string[];
  /** Of the classic network. */
  readonly classic: readonly string[];
  readonly private: readonly string[];
  /** Of the primary interface. */
  readonly ipv6: readonly string[];
}
