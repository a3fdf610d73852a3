import { appSettings, type AppSettings } from '../../src/process/app-settings.ts';
import { parseCloudConfig } from '../../src/base/cloud-config.ts';
import { command, flagsOf } from '../../src/controller/command.ts';
import { readControllerConfig, type ControllerConfig } from '../../src/controller/config.ts';
import { requireVpc } from '../../src/controller/from-config.ts';
import { REGION } from './simulator.ts';

/** How a controller of Nodes and routes is told to run: as its manifest and its cloud-config file have it. */
export interface ControllerSaid {
  /** Behind those of every one; of equal ones the last counts. */
  readonly flags?: readonly string[];
  /** Keys under `Global`, beside those of the cluster `c1` in `vpc-1`. */
  readonly global?: Readonly<Record<string, string | boolean>>;
}

const FLAGS = [
  '--cloud-config=cloud-config.conf',
  '--cluster-cidr=172.20.0.0/16',
  '--controllers=node,route,-inventory',
];
const GLOBAL = { clusterID: 'c1', region: REGION, vpcid: 'vpc-1', vswitchid: 'vsw-1' };

/** What the process reads from such a command line. Throws what it would end with. */
export function configSaid(...words: readonly string[]): ControllerConfig {
  const line = command()
    .exitOverride()
    .action(() => undefined);
  line.parse([...words], { from: 'user' });
  return readControllerConfig(flagsOf(line));
}

/** What the process makes of both, by its own readers. Throws what it would end with. */
export function settingsSaid({ flags = [], global = {} }: ControllerSaid): AppSettings {
  const config = configSaid(...FLAGS, ...flags);
  const file = parseCloudConfig(JSON.stringify({ Global: { ...GLOBAL, ...global } }), config.cloudConfig).config;
  const located = { ...file, regionId: file.regionId ?? REGION };
  requireVpc(config, located);
  return appSettings(config, located);
}
