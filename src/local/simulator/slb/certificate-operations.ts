import { X509Certificate } from 'node:crypto';
import { CloudError } from '../error.ts';
import { minute } from '../timestamp.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { required, text, type Arguments } from '../parameter.ts';
import type { CertificateRow } from './table-rows.ts';
import { listenersOf, read, REGION_ID, RESOURCE_GROUP_ID, TAG, tagList, write } from './common-parameters.ts';
import { carries, tagFilter, tagsOf } from './tag-parameters.ts';

const REGION = required(REGION_ID);

/** A kind of certificate. The operations of both kinds differ only in their names. */
interface Kind {
  readonly kind: CertificateRow['kind'];
  /** The name of the kind in the names of operations and fields. */
  readonly word: 'ServerCertificate' | 'CACertificate';
}

const KINDS: readonly Kind[] = [
  { kind: 'server', word: 'ServerCertificate' },
  { kind: 'ca', word: 'CACertificate' },
];

const view = (certificate: CertificateRow, word: Kind['word'], { world }: OperationContext): OperationResult => ({
  RegionId: world.regionId,
  [`${word}Id`]: certificate.id,
  [`${word}Name`]: certificate.name,
  CommonName: certificate.commonName,
  SubjectAlternativeNames: { SubjectAlternativeName: certificate.alternativeNames },
  Fingerprint: certificate.fingerprint,
  ResourceGroupId: certificate.resourceGroupId,
  IsAliCloudCertificate: 0,
  CreateTime: minute(certificate.createdAt),
  CreateTimeStamp: certificate.createdAt,
  ExpireTime: minute(certificate.expiresAt),
  ExpireTimeStamp: certificate.expiresAt,
  Tags: tagList(world.tags.of('certificate', certificate.id)),
});

const describe =
  ({ kind, word }: Kind) =>
  (args: Arguments, context: OperationContext): OperationResult => {
    const [id, group, wanted] = [
      args.optional(`${word}Id`) ?? '',
      args.optional('ResourceGroupId') ?? '',
      tagFilter(args),
    ];
    const found = context.world.certificates
      .rows()
      .filter((certificate) => certificate.kind === kind)
      .filter((certificate) => id === '' || certificate.id === id)
      .filter(({ resourceGroupId }) => group === '' || resourceGroupId === group)
      .filter((certificate) =>
        wanted.every((tag) => carries(context.world.tags.of('certificate', certificate.id), tag)),
      );
    return { [`${word}s`]: { [word]: found.map((certificate) => view(certificate, word, context)) } };
  };

function readPem(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new CloudError('KeyFormatError', 'The certificate is not readable PEM.');
  }
}

const commonNameOf = (certificate: X509Certificate): string => /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';

const upload =
  ({ kind, word }: Kind) =>
  (args: Arguments, context: OperationContext): OperationResult => {
    const { world, settings, ids, now } = context;
    const parsed = readPem(args.text(word));
    const tags = tagsOf(args);
    if (world.certificates.rows().filter((other) => other.kind === kind).length >= settings.certificates) {
      throw new CloudError(
        'QuotaExceeded',
        `The region has ${settings.certificates} certificates of this kind, which is its quota.`,
      );
    }
    const certificate: CertificateRow = {
      id: `${context.caller.accountId}_${ids.characters(12)}`,
      name: args.optional(`${word}Name`) ?? '',
      kind,
      commonName: commonNameOf(parsed),
      alternativeNames: (parsed.subjectAltName ?? '')
        .split(', ')
        .flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : [])),
      fingerprint: parsed.fingerprint.toLowerCase(),
      resourceGroupId: args.optional('ResourceGroupId') ?? 'rg-default',
      createdAt: now,
      expiresAt: Date.parse(parsed.validTo),
    };
    world.certificates.insert(certificate, now);
    if (Object.keys(tags).length > 0) world.tags.set('certificate', certificate.id, tags, now);
    return view(certificate, word, context);
  };

const remove =
  ({ word }: Kind) =>
  (args: Arguments, { world, now }: OperationContext): OperationResult => {
    const id = args.text(`${word}Id`);
    if (world.certificates.get(id) === undefined) {
      throw new CloudError('ServerCertificateId.NotFound', `The certificate ${id} does not exist.`);
    }
    const isUsed =
      world.domainExtensions.rows().some(({ certificateId }) => certificateId === id) ||
      world.loadBalancers
        .rows()
        .flatMap((balancer) => listenersOf(balancer, now))
        .some(({ attributes }) => attributes['ServerCertificateId'] === id || attributes['CACertificateId'] === id);
    if (isUsed) throw new CloudError('CertificateAndPrivateKeyIsRefered', 'A listener uses the certificate.');
    world.certificates.remove(id, now);
    world.tags.drop('certificate', id, now);
    return {};
  };

/** The operations on server certificates and CA certificates. Listeners refer to certificates by id. */
export const CERTIFICATE_OPERATIONS: readonly SimulatedOperation[] = KINDS.flatMap((kind) => [
  read({
    action: `Describe${kind.word}s`,
    parameters: [REGION_ID, RESOURCE_GROUP_ID, text(`${kind.word}Id`), TAG],
    handle: describe(kind),
  }),
  write({
    action: `Upload${kind.word}`,
    parameters: [
      required(text(kind.word)),
      text(`${kind.word}Name`),
      text('PrivateKey'),
      REGION,
      RESOURCE_GROUP_ID,
      TAG,
    ],
    handle: upload(kind),
  }),
  write({
    action: `Delete${kind.word}`,
    parameters: [required(text(`${kind.word}Id`)), REGION_ID],
    handle: remove(kind),
  }),
]);
