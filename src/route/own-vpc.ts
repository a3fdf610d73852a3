import { IDS_PER_CALL, type InstanceApi } from '../node/port.ts';

/** Whether an instance of a Node was found in the VPC that was named. Asked where something depends on it only, and found once for good. */
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

  /** Asks for the latest of these instances, as many as one call answers for. */
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
