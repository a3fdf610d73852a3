import { IDS_PER_CALL, type InstanceApi } from '../node/port.ts';

/** Proves that the configured VPC contains an instance of a Node. The call is made only if a decision depends on it, and a proof is final. */
export class OwnVpc {
  readonly #api: Pick<InstanceApi, 'describe'>;
  readonly #vpcId: string;
  #isProven = false;

  constructor(api: Pick<InstanceApi, 'describe'>, vpcId: string) {
    this.#api = api;
    this.#vpcId = vpcId;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  /** Requests the latest of these instances, up to the limit of one call. */
  async ask(instances: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    if (this.#isProven || instances.size === 0) return;
    const found = await this.#api.describe([...instances].slice(-IDS_PER_CALL), {
      signal,
      lane: 'change',
      namespace: '',
    });
    this.#isProven = found.some(({ vpcId }) => vpcId === this.#vpcId);
  }
}
