import type { Fault } from '../../../src/local/simulator/fault.ts';
import type { SimulatorSettings } from '../../../src/local/simulator/settings.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { ControllerInput } from '../controller-settings.ts';
import type { Parameters, Product } from '../simulator.ts';
import type { Registration } from './kubelet.ts';

/** A step. Its effects finish before the next step. */
export type Step =
  /** Kubelets register. A name stands for a Node whose provider ID names the instance of the same number. */
  | { readonly join: readonly (string | Registration)[] }
  /** A user deletes Node objects. */
  | { readonly leave: readonly string[] }
  /** Kubelets report their status, or kube-controller-manager reports that they stopped reporting. */
  | { readonly ready: 'True' | 'False' | 'Unknown'; readonly of: readonly string[] }
  /** Another writer patches a Node. Lists are merged by their keys. */
  | { readonly patch: object; readonly of: string; readonly in?: 'status' }
  /** A user changes the cloud, including removals. */
  | { readonly cloud: SeedInput }
  | { readonly release: readonly string[] }
  /** A user calls the cloud. */
  | { readonly call: string; readonly with: Parameters; readonly product?: Product }
  /** Sets the faults of calls. An empty list removes all faults. */
  | { readonly faults: readonly Partial<Fault>[] }
  | { readonly cloudSettings: Partial<SimulatorSettings> }
  /** The process stops gracefully, is killed, or a new one starts. */
  | { readonly controller: 'stops' | 'dies' | 'starts' }
  /** Time passes, in milliseconds. */
  | { readonly pass: number };

/** A scenario of Nodes in a real API server and a simulated cloud. integration/nodes/scenarios.test.ts plays every scenario. */
export interface Scenario {
  /** The number of instances `i-1`, `i-2`, … in the cloud. Defaults to 3. */
  readonly instances?: number;
  /** The cloud resources in addition to VPC `vpc-1` with table `vtb-1`, vSwitch `vsw-1` and the instances. */
  readonly cloud?: SeedInput;
  readonly cloudSettings?: Partial<SimulatorSettings>;
  readonly controller?: ControllerInput;
  /** True if no controller runs at the start. */
  readonly isUnattended?: boolean;
  readonly steps: readonly Step[];
}

/** Scenarios by a sentence that describes each. */
export type Scenarios = Readonly<Record<string, Scenario>>;
