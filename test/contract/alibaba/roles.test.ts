import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessKey, Credentials } from '../../../src/alibaba/credentials/credential-types.ts';
import { createCredentials } from '../../../src/alibaba/credentials/chain.ts';
import { credentialSources } from '../../../src/alibaba/credentials/sources.ts';
import { createEndpoints } from '../../../src/alibaba/endpoints.ts';
import { createMetadata } from '../../../src/alibaba/metadata.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { cloudOverHttp } from '../../support/cloud-over-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { epochSeconds, serviceAccountToken } from '../../support/service-account-token.ts';
import { startSimulator, type SimulatorServer } from '../../support/simulator.ts';

const ROLE = 'acs:ram::1234567890123456:role/portcullis';
const INSTANCE_ROLE = 'acs:ram::1234567890123456:role/instance';
const PROVIDER = 'acs:ram::1234567890123456:oidc-provider/cluster';
const SUBJECT = 'system:serviceaccount:portcullis-system:portcullis-controller';
const never = new AbortController().signal;

/** A wall clock that a test advances, together with the clock of the cloud. */
const movable = (): Clock & { offsetMs: number } => ({
  ...systemClock,
  offsetMs: 0,
  now() {
    return Date.now() + this.offsetMs;
  },
  monotonic() {
    return systemClock.monotonic() + this.offsetMs;
  },
});

interface Request {
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly isHardened?: boolean;
  readonly logs?: string[];
}

/** Creates the credentials of the controller process, with `environment` and without files. */
function credentialsOn(
  { host, url }: Pick<SimulatorServer, 'host' | 'url'>,
  folder: string,
  request: Request = {},
): Credentials {
  const { environment = {}, clock = systemClock, isHardened = true, logs = [] } = request;
  const file = join(folder, 'cloud-config.conf');
  writeFileSync(file, '{"Global": {"region": "cn-hangzhou"}}');
  const all = { STS_ENDPOINT: host, ALICLOUD_CLIENT_SCHEME: 'HTTP', ...environment };
  const sources = credentialSources({
    cloudConfig: file,
    tokenFile: join(folder, 'none'),
    environment: all,
    endpoints: createEndpoints({ regionId: 'cn-hangzhou', network: 'vpc', environment: all }),
    metadata: createMetadata({ endpoint: url, isHardened, clock }),
    userAgent: 'portcullis/test',
    clock,
    signal: never,
  });
  return createCredentials(sources, { warn: (message) => logs.push(message), clock });
}

/** Sends a call with the current credentials. */
async function signed({ host }: SimulatorServer, credentials: Credentials): Promise<void> {
  const key: AccessKey = await credentials.current();
  await cloudOverHttp(host, () => key).instances.describe(['i-1'], aCall());
}

const failureOf = async (work: Promise<unknown>): Promise<PortcullisError> =>
  work.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => (error instanceof PortcullisError ? error : assert.fail(String(error))),
  );

/** Without a renewal of its temporary key, the controller would lose its access to the cloud after hours. */
describe('the RAM role of the instance', () => {
  for (const [mode, isHardened] of [
    ['token', true],
    ['any', false],
  ] as const) {
    it(`signs calls if the metadata service requires ${mode === 'token' ? 'a token' : 'none'}`, async () => {
      using folder = temporaryFolder();
      await using server = await startSimulator({ settings: { metadata: mode } });
      server.simulator.seed({ roles: [{ id: ROLE }] });
      await signed(server, credentialsOn(server, folder.path, { isHardened }));
    });
  }

  it('is renewed before its key expires, even after the metadata token expired', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator({ settings: { metadata: 'token', roleSessionSeconds: 3_600 } });
    server.simulator.seed({ roles: [{ id: ROLE }] });
    const clock = movable();
    const credentials = credentialsOn(server, folder.path, { clock });
    const first = await credentials.current();
    const ids = new Set([first.id]);
    for (let passed = 0; passed < 8 * 3_600_000; passed += 600_000) {
      clock.offsetMs += 600_000;
      await server.admin('clock', { advanceMs: 600_000 });
      await signed(server, credentials);
      ids.add((await credentials.current()).id);
    }
    assert.ok(ids.size >= 8, `${ids.size} keys in eight hours`);
  });

  it('is requested again if the cloud no longer knows the key', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator();
    server.simulator.seed({ roles: [{ id: ROLE }] });
    const clock = movable();
    const credentials = credentialsOn(server, folder.path, { clock });
    server.simulator.keys.remove((await credentials.current()).id);
    const error = await failureOf(signed(server, credentials));
    assert.equal(error.code, 'InvalidAccessKeyId.NotFound');
    credentials.markRejected();
    clock.offsetMs += 10_000;
    await signed(server, credentials);
  });

  const faults: Record<string, [seed: object, environment: Record<string, string>, message: RegExp]> = {
    'an instance without a role, and no other source of keys': [
      {},
      {},
      /^no access key found in: cloud-config file, .*, RAM role of the instance; assign a RAM role/,
    ],
    'a role that the instance does not have': [
      { roles: [{ id: ROLE }] },
      { ALIBABA_CLOUD_ECS_METADATA: 'other' },
      /the instance has no role "other": attach the role in the console, or correct ALIBABA_CLOUD_ECS_METADATA/,
    ],
    'disabled instance metadata': [
      { roles: [{ id: ROLE }] },
      { ALIBABA_CLOUD_ECS_METADATA_DISABLED: 'true' },
      /^no access key found in: .*environment variable ACCESS_KEY_ID; assign /,
    ],
  };
  for (const [what, [seed, environment, message]] of Object.entries(faults)) {
    it(`is unusable, with an error that names the cause: ${what}`, async () => {
      using folder = temporaryFolder();
      await using server = await startSimulator();
      server.simulator.seed(seed);
      const error = await failureOf(credentialsOn(server, folder.path, { environment }).current());
      assert.match(error.message, message);
      assert.equal(error.reason, 'Unauthorized');
    });
  }

  it('is reported as unavailable within seconds if the metadata service is unreachable', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator({ settings: { metadata: 'cut' } });
    const error = await failureOf(credentialsOn(server, folder.path).current());
    assert.equal(error.reason, 'Unavailable');
    assert.match(
      error.message,
      /^RAM role of the instance: failed to read the instance metadata at http:\/\/127\.0\.0\.1:\d+: /,
    );
  });
});

describe('the RAM role of the service account', () => {
  const projected = (folder: string, claims: object = {}): string => {
    const path = join(folder, 'token');
    const all = { sub: SUBJECT, iss: 'https://issuer', aud: ['sts.aliyuncs.com'], exp: epochSeconds(3_600), ...claims };
    writeFileSync(path, serviceAccountToken(all));
    return path;
  };
  const environmentOf = (tokenFile: string, input: Record<string, string> = {}) => ({
    ALIBABA_CLOUD_ROLE_ARN: ROLE,
    ALIBABA_CLOUD_OIDC_PROVIDER_ARN: PROVIDER,
    ALIBABA_CLOUD_OIDC_TOKEN_FILE: tokenFile,
    ...input,
  });
  const trusting = { roles: [{ id: ROLE, oidcProviders: [PROVIDER], oidcSubjects: [SUBJECT] }] };

  it('signs calls with a key from AssumeRoleWithOIDC, and identifies the caller', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator();
    server.simulator.seed(trusting);
    await signed(server, credentialsOn(server, folder.path, { environment: environmentOf(projected(folder.path)) }));
    const [assumed] = await server.journal();
    assert.equal(assumed?.action, 'AssumeRoleWithOIDC');
    assert.match(assumed.userAgent, /portcullis\/test/);
  });

  it('has precedence over the keys of the environment and the role of the instance', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator();
    server.simulator.seed({ roles: [{ id: INSTANCE_ROLE }, ...trusting.roles] });
    const environment = { ...environmentOf(projected(folder.path)), ACCESS_KEY_ID: 'a', ACCESS_KEY_SECRET: 'b' };
    const { id, token } = await credentialsOn(server, folder.path, { environment }).current();
    const { caller } = server.simulator.keys.use(id, token, Date.now());
    assert.match(caller.arn, /:assumed-role\/portcullis\//);
  });

  it('is renewed with the current token', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator();
    server.simulator.seed(trusting);
    const clock = movable();
    const logs: string[] = [];
    const environment = environmentOf(projected(folder.path));
    const credentials = credentialsOn(server, folder.path, { environment, clock, logs });
    const first = await credentials.current();
    clock.offsetMs += 3_500_000;
    await server.admin('clock', { advanceMs: 3_500_000 });
    projected(folder.path, { exp: epochSeconds(7_200) });
    await credentials.current();
    clock.offsetMs += 200_000;
    await server.admin('clock', { advanceMs: 200_000 });
    await signed(server, credentials);
    assert.notEqual((await credentials.current()).id, first.id);
    assert.deepEqual(logs, []);
  });

  const faults: Record<
    string,
    { seed?: object; claims?: object; environment?: Record<string, string>; fault?: object; message: RegExp }
  > = {
    'a role that does not exist': {
      seed: {},
      message:
        /AssumeRoleWithOIDC: The role .*role\/portcullis does not exist \(EntityNotExist\.Role, .*check that ALIBABA_CLOUD_ROLE_ARN names a role that trusts/,
    },
    'a role that trusts another service account': {
      claims: { sub: 'system:serviceaccount:default:default' },
      message: /does not trust the subject system:serviceaccount:default:default .*check that ALIBABA_CLOUD_ROLE_ARN/,
    },
    'a provider that the role does not trust': {
      environment: { ALIBABA_CLOUD_OIDC_PROVIDER_ARN: `${PROVIDER}-other` },
      message: /does not trust the identity provider .*-other/,
    },
    'an expired token': { claims: { exp: 1 }, message: /The OIDC token has expired/ },
    'a missing permission': {
      fault: { action: 'AssumeRoleWithOIDC', effect: 'reject', code: 'NoPermission' },
      message: /permission sts:AssumeRoleWithOIDC is missing/,
    },
  };
  for (const [what, { seed = trusting, claims, environment = {}, fault, message }] of Object.entries(faults)) {
    it(`is unusable, with an error that names the cause but no token: ${what}`, async () => {
      using folder = temporaryFolder();
      await using server = await startSimulator();
      server.simulator.seed(seed);
      if (fault !== undefined) await server.admin('faults', [fault]);
      const path = projected(folder.path, claims);
      const error = await failureOf(
        credentialsOn(server, folder.path, { environment: environmentOf(path, environment) }).current(),
      );
      assert.match(error.message, message);
      assert.doesNotMatch(`${error.message} ${error.stack ?? ''}`, /eyJ/);
      assert.equal(error.reason, 'Unauthorized');
    });
  }

  it('is unavailable while STS is throttled, failing or unreachable, and recovers', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator();
    server.simulator.seed(trusting);
    const clock = movable();
    const environment = environmentOf(projected(folder.path));
    const credentials = credentialsOn(server, folder.path, { environment, clock });
    await server.admin('faults', [{ action: 'AssumeRoleWithOIDC', effect: 'reject', code: 'InternalError' }]);
    const error = await failureOf(credentials.current());
    assert.deepEqual([error.reason, error.message.includes('check the network path to STS')], ['Unavailable', true]);
    clock.offsetMs += 10_000;
    await signed(server, credentials);
    const closed = { host: '127.0.0.1:9', url: 'http://127.0.0.1:9' };
    const away = await failureOf(credentialsOn(closed, folder.path, { environment }).current());
    assert.equal(away.reason, 'Unavailable');
  });

  it('is rejected if the environment lacks one of its variables, or the token is missing', async () => {
    using folder = temporaryFolder();
    await using server = await startSimulator();
    assert.throws(
      () => credentialsOn(server, folder.path, { environment: { ALIBABA_CLOUD_OIDC_PROVIDER_ARN: PROVIDER } }),
      {
        reason: 'InvalidConfiguration',
        message: /lacks ALIBABA_CLOUD_ROLE_ARN and ALIBABA_CLOUD_OIDC_TOKEN_FILE: set /,
      },
    );
    const environment = environmentOf(join(folder.path, 'nowhere'));
    const error = await failureOf(credentialsOn(server, folder.path, { environment }).current());
    assert.match(
      error.message,
      /failed to read the service account token .*nowhere \(ENOENT.*project the token into the pod/,
    );
  });
});
