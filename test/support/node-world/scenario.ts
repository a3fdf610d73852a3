import type { Fault } from '../../../src/local/simulator/fault.ts';
import type { SimulatorSettings } from '../../../src/local/simulator/settings.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import type { ControllerSaid } from '../controller-said.ts';
import type { Parameters, Product } from '../simulator.ts';
import type { Registration } from './kubelet.ts';

/** One thing that happens. What follows from it is let happen before the next one. */
export type Step =
  /** Kubelets register; a name alone is that of a Node whose provider ID names the instance of the same number. */
  | { readonly join: readonly (string | Registration)[] }
  /** Node objects are deleted by people. */
  | { readonly leave: readonly string[] }
  /** Kubelets say how they are, or kube-controller-manager says that they say nothing. */
  | { readonly ready: 'True' | 'False' | 'Unknown'; readonly of: readonly string[] }
  /** Somebody else patches a Node; lists are merged by their keys. */
  | { readonly patch: object; readonly of: string; readonly in?: 'status' }
  /** Somebody else changes the cloud, and what of it is gone. */
  | { readonly cloud: SeedInput }
  | { readonly release: readonly string[] }
  /** Somebody else calls the cloud. */
  | { readonly call: string; readonly with: Parameters; readonly product?: Product }
  /** Calls go wrong from now on; none do any more when there are none. */
  | { readonly faults: readonly Partial<Fault>[] }
  | { readonly knobs: Partial<SimulatorSettings> }
  /** The process ends, in peace or at this very instant, or another begins. */
  | { readonly controller: 'stops' | 'dies' | 'starts' }
  /** Time passes, in milliseconds. */
  | { readonly pass: number };

export interface Scenario {
  /** Instances `i-1`, `i-2`, … of the cloud; 3 unless told. */
  readonly instances?: number;
  /** Beside a VPC `vpc-1` with table `vtb-1`, vSwitch `vsw-1` and the instances. */
  readonly cloud?: SeedInput;
  readonly knobs?: Partial<SimulatorSettings>;
  readonly controller?: ControllerSaid;
  /** Whether no controller runs at the beginning. */
  readonly isUnattended?: boolean;
  readonly steps: readonly Step[];
}

/** By what they show, as a sentence. */
export type Scenarios = Readonly<Record<string, Scenario>>;
