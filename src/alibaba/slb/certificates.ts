import { z } from 'zod';
import type { Certificate } from '../../clb/model/certificate.ts';
import type { DomainExtensionId } from '../../clb/model/ids.ts';
import type { DomainExtension } from '../../clb/model/listener.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import { wrapped } from '../response-validation.ts';
import { readAnswer, wholeNumber } from './field-schemas.ts';
import type { SlbClient } from './client.ts';
import { unlessGone } from './load-balancers.ts';

const extensionId = z
  .string()
  .min(1)
  .transform((raw) => raw as DomainExtensionId);
const EXTENSIONS = z.object({
  domainExtensions: wrapped(
    'domainExtension',
    z
      .object({ domainExtensionId: extensionId, domain: z.string(), serverCertificateId: z.string().default('') })
      .transform(({ domainExtensionId: id, domain, serverCertificateId: certificateId }): DomainExtension => ({
        id,
        domain,
        certificateId,
      })),
  ),
});
const CREATED = z.object({ domainExtensionId: extensionId });
const CERTIFICATES = z.object({
  serverCertificates: wrapped(
    'serverCertificate',
    z
      .object({ serverCertificateId: z.string(), expireTimeStamp: wholeNumber.optional().catch(undefined) })
      .transform(({ serverCertificateId: id, expireTimeStamp }): Certificate => ({
        id,
        ...(expireTimeStamp === undefined ? {} : { expiresAtMs: expireTimeStamp }),
      })),
  ),
});

type CertificateApi = Pick<
  ClbApi,
  'readCertificate' | 'listDomainExtensions' | 'createDomainExtension' | 'setDomainExtension' | 'deleteDomainExtension'
>;

/** Returns the SLB calls for server certificates and for the domain extensions (SNI certificates) of HTTPS listeners. */
export const certificateApi = (client: SlbClient): CertificateApi => ({
  readCertificate: async (serverCertificateId, context) => {
    const answer = await client.call('describeServerCertificates', { serverCertificateId }, context);
    const { serverCertificates } = readAnswer('describeServerCertificates', CERTIFICATES, answer);
    return serverCertificates.find(({ id }) => id === serverCertificateId);
  },
  listDomainExtensions: async (loadBalancerId, listenerPort, context) => {
    const answer = await client.call('describeDomainExtensions', { loadBalancerId, listenerPort }, context);
    return readAnswer('describeDomainExtensions', EXTENSIONS, answer).domainExtensions;
  },
  createDomainExtension: async (loadBalancerId, listenerPort, { domain, certificateId }, context) => {
    const request = { loadBalancerId, listenerPort, domain, serverCertificateId: certificateId };
    const answer = await client.call('createDomainExtension', request, context, loadBalancerId);
    return readAnswer('createDomainExtension', CREATED, answer).domainExtensionId;
  },
  setDomainExtension: async (loadBalancerId, domainExtensionId, serverCertificateId, context) => {
    const request = { domainExtensionId, serverCertificateId };
    await client.call('setDomainExtensionAttribute', request, context, loadBalancerId);
  },
  deleteDomainExtension: (loadBalancerId, domainExtensionId, context) =>
    unlessGone(undefined, async () => {
      await client.call('deleteDomainExtension', { domainExtensionId }, context, loadBalancerId);
    }),
});
