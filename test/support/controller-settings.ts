import { appSettings, type AppSettings } from '../../src/process/app-settings.ts';
import { parseCloudConfig } from '../../src/base/cloud-config.ts';
import { command, flagsOf } from '../../src/controller/command.ts';
import { readControllerConfig, type ControllerConfig } from '../../src/controller/config-from-flags.ts';
import { requireVpc } from '../../src/controller/node-and-route-settings.ts';
import { REGION } from './simulator.ts';

/** The configuration of a Node and route controller: flags of its manifest, and keys of its cloud-config file. */
export interface ControllerInput {
  /** The flags after the common flags, which they override. */
  readonly flags?: readonly string[];
  /** Keys under `Global`, in addition to those of cluster `c1` in `vpc-1`. */
  readonly global?: Readonly<Record<string, string | boolean>>;
}

const FLAGS = [
  '--cloud-config=cloud-config.conf',
  '--cluster-cidr=172.20.0.0/16',
  '--controllers=node,route,-inventory',
];
const GLOBAL = { clusterID: 'c1', region: REGION, vpcid: 'vpc-1', vswitchid: 'vsw-1' };

/** Returns the configuration that the process reads from this command line. Throws the error with which the process would exit. */
export function configOf(...words: readonly string[]): ControllerConfig {
  const line = command()
    .exitOverride()
    .action(() => undefined);
  line.parse([...words], { from: 'user' });
  return readControllerConfig(flagsOf(line));
}

/** Returns the settings of a controller in a test, from flags and cloud-config. Throws the error with which the process would exit. */
export function settingsOf({ flags = [], global = {} }: ControllerInput): AppSettings {
  const config = configOf(...FLAGS, ...flags);
  const file = parseCloudConfig(JSON.stringify({ Global: { ...GLOBAL, ...global } }), config.cloudConfig).config;
  const located = { ...file, regionId: file.regionId ?? REGION };
  requireVpc(config, located);
  return appSettings(config, located);
}
