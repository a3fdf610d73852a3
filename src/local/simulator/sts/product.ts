import { CloudError } from '../error.ts';
import { operationsOf } from '../operation-factory.ts';
import { second } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedProduct } from '../operation.ts';
import { integer, required, text, type Arguments } from '../parameter.ts';
import { temporaryKey } from '../temporary-key.ts';
import type { RoleRow } from './stored-role.ts';
import { readToken } from './oidc-token.ts';

const PER_SECOND = { calls: 100, seconds: 1 };
const { read } = operationsOf({ reads: PER_SECOND, writes: PER_SECOND });

const ROLE_ARN = text('RoleArn', {
  pattern: /^acs:ram::\d+:role\/.+$/,
  form: 'it must have the form acs:ram::ACCOUNT:role/NAME',
  code: 'InvalidParameter.RoleArn',
});
const SESSION_NAME = text('RoleSessionName', {
  length: [2, 64],
  pattern: /^[\w.@-]+$/,
  form: 'letters, digits, ".", "@", "-" and "_" are allowed',
  code: 'InvalidParameter.RoleSessionName',
});
const DURATION = integer('DurationSeconds', [900, 43_200], { code: 'InvalidParameter.DurationSeconds' });

function theRole(args: Arguments, { world }: OperationContext): RoleRow {
  const arn = args.text('RoleArn');
  const found = world.roles.get(arn);
  if (found === undefined) throw new CloudError('EntityNotExist.Role', `The role ${arn} does not exist.`);
  return found;
}

/** Returns the response of both operations that assume a role: a temporary key. */
function session(role: RoleRow, args: Arguments, context: OperationContext): OperationResult {
  const seconds = args.integer('DurationSeconds') ?? 3_600;
  if (seconds > role.maxSessionSeconds) {
    throw new CloudError(
      'InvalidParameter.DurationSeconds',
      `The role allows sessions of at most ${role.maxSessionSeconds} s.`,
    );
  }
  const [name, sessionName] = [role.id.split('/').at(-1) ?? '', args.text('RoleSessionName')];
  const key = temporaryKey(context, context.caller, { role: name, session: sessionName, seconds });
  return {
    AssumedRoleUser: { Arn: key.caller.arn, AssumedRoleId: key.caller.principalId },
    Credentials: {
      AccessKeyId: key.id,
      AccessKeySecret: key.secret,
      SecurityToken: key.token,
      Expiration: second(key.expiresAt),
    },
  };
}

function withOidc(args: Arguments, context: OperationContext): OperationResult {
  const role = theRole(args, context);
  const provider = args.text('OIDCProviderArn');
  if (!role.oidcProviders.includes(provider)) {
    throw new CloudError(
      'AuthenticationFail.NoPermission',
      `The role does not trust the identity provider ${provider}.`,
    );
  }
  const token = readToken(args.text('OIDCToken'));
  if (token.expiresAt <= context.now)
    throw new CloudError('AuthenticationFail.OIDCToken.Expired', 'The OIDC token has expired.');
  if (role.oidcSubjects.length > 0 && !role.oidcSubjects.includes(token.subject))
    throw new CloudError('AuthenticationFail.NoPermission', `The role does not trust the subject ${token.subject}.`);
  return {
    ...session(role, args, context),
    OIDCTokenInfo: {
      Subject: token.subject,
      Issuer: token.issuer,
      ClientIds: token.audience,
      ExpirationTime: second(token.expiresAt),
      VerificationInfo: 'Success',
    },
  };
}

function identity(_args: Arguments, { caller }: OperationContext): OperationResult {
  return {
    AccountId: caller.accountId,
    Arn: caller.arn,
    IdentityType: caller.identityType,
    PrincipalId: caller.principalId,
    RoleId: caller.roleId,
    UserId: caller.userId,
  };
}

/** The API of identities and temporary keys. */
export const STS: SimulatedProduct = {
  name: 'Sts',
  version: '2015-04-01',
  operations: [
    read({ action: 'GetCallerIdentity', parameters: [], handle: identity }),
    read({
      action: 'AssumeRole',
      parameters: [DURATION, text('Policy'), required(ROLE_ARN), required(SESSION_NAME)],
      handle: (args, context) => session(theRole(args, context), args, context),
    }),
    read({
      action: 'AssumeRoleWithOIDC',
      parameters: [
        DURATION,
        required(text('OIDCProviderArn')),
        required(text('OIDCToken', { length: [4, 20_000] })),
        text('Policy'),
        required(ROLE_ARN),
        required(SESSION_NAME),
      ],
      handle: withOidc,
    }),
  ],
};
