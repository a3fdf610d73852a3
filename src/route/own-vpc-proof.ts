import { IDS_PER_CALL, type InstanceApi } from '../node/instance-api.ts';

/**
 * The lasting proof that the configured VPC has an instance of a Node. Until then, guards may block changes of existing routes; `plan.ts` then calls
 * `ask`.
 */
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

  /** Looks up the instances of the youngest Nodes, which are the last in the set, as many as one call permits. */
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
