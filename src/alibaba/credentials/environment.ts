import { accessKeyOf, type CredentialSource } from './credential-types.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const environmentSource = (
  environment: Environment,
  idName: string,
  secretName: string,
  tokenName?: string,
): CredentialSource => ({
  name: `environment variable ${idName}`,
  read: async () => {
    const value = (name: string) => environment[name]?.trim() ?? '';
    const key = accessKeyOf(value(idName), idName, value(secretName), secretName);
    const token = tokenName === undefined ? '' : value(tokenName);
    return key === undefined || token === '' ? key : { ...key, token };
  },
});

/**
 * Returns the sources that read environment variables. The variables that Alibaba Cloud tools share precede the variables of the Alibaba Cloud
 * Controller Manager.
 */
export const fromEnvironment = (environment: Environment): readonly CredentialSource[] => [
  environmentSource(
    environment,
    'ALIBABA_CLOUD_ACCESS_KEY_ID',
    'ALIBABA_CLOUD_ACCESS_KEY_SECRET',
    'ALIBABA_CLOUD_SECURITY_TOKEN',
  ),
  environmentSource(environment, 'ACCESS_KEY_ID', 'ACCESS_KEY_SECRET'),
];
