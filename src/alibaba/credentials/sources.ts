import type { Clock } from '../../base/clock.ts';
import type { CloudEndpoints } from '../endpoints.ts';
import type { Metadata } from '../metadata.ts';
import type { CredentialSource } from './credential-types.ts';
import { fromCloudConfig } from './cloud-config.ts';
import { fromEnvironment, type Environment } from './environment.ts';
import { instanceRole } from './instance-role.ts';
import { issuedBy } from './key-renewal.ts';
import { oidcRole, oidcRoleIn } from './oidc-role.ts';
import { fromSecretFiles } from './secret-files.ts';
import { fromTokenFile } from './add-on-token-file.ts';

export interface SourcesParts {
  readonly cloudConfig: string;
  /** The path at which a Secret with the key is mounted. */
  readonly accessKeyFolder?: string | undefined;
  readonly tokenFile: string;
  readonly environment: Environment;
  readonly endpoints: CloudEndpoints;
  readonly metadata: Metadata;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Aborts requests for temporary keys when the process stops. */
  readonly signal: AbortSignal;
}

/** Returns the possible sources of the access key, in order of precedence. */
export function credentialSources(parts: SourcesParts): readonly CredentialSource[] {
  const { accessKeyFolder, environment, clock, signal } = parts;
  const role = oidcRoleIn(environment);
  const named = environment['ALIBABA_CLOUD_ECS_METADATA']?.trim();
  const isRoleless = environment['ALIBABA_CLOUD_ECS_METADATA_DISABLED']?.trim().toLowerCase() === 'true';
  return [
    fromCloudConfig(parts.cloudConfig),
    ...(accessKeyFolder === undefined ? [] : [fromSecretFiles(accessKeyFolder)]),
    ...(role === undefined ? [] : [issuedBy(oidcRole(role, parts.endpoints('Sts'), parts.userAgent), clock, signal)]),
    fromTokenFile(parts.tokenFile, () => clock.now()),
    ...fromEnvironment(environment),
    ...(isRoleless ? [] : [issuedBy(instanceRole(parts.metadata, named === '' ? undefined : named), clock, signal)]),
  ];
}
