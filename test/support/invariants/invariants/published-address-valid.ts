import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant } from '../moment.ts';
import type { LoadBalancerPicture } from '../moment.ts';
import { CLUSTER_TAG, isOfService, isOwnedBy, OWNER_TAG, Services } from '../ownership.ts';

const addressesOf = (service: Service | undefined): readonly string[] =>
  (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

/** Returns whether a load balancer is owned by a Service (tag, or binding without a tag), or is user-managed and named by the Service. */
const isOf = (picture: LoadBalancerPicture, service: Service, services: Services): boolean => {
  const isUserManaged = picture.tags[OWNER_TAG] === undefined && picture.tags[CLUSTER_TAG] === undefined;
  const bound = services.bindingOf(service.metadata.uid)?.spec.loadBalancer;
  const isRecorded = picture.tags[OWNER_TAG] === undefined && bound?.use === 'owned' && bound.id === picture.id;
  return isOwnedBy(picture, service) || isRecorded || (isUserManaged && services.namedBy(service).has(picture.id));
};

/** Clients use the published address at once, so it must lead to the Service. */
export const publishedAddressValid: Invariant = {
  name: 'PublishedAddressValid',
  statement: 'an address is published only for an existing load balancer that is owned or validly reused',
  check(history, { evaluated }) {
    const services = new Services();
    return history.flatMap((moment, at) => {
      services.pass(moment);
      if (!isOfService(moment) || moment.by !== 'controller' || moment.isUnseen === true) return [];
      const { before, after, key, loadBalancers, elasticAddresses } = moment;
      const own = loadBalancers.filter((picture) => after !== undefined && isOf(picture, after, services));
      const real = new Set([...own.map(({ address }) => address), ...elasticAddresses]);
      const published = new Set(addressesOf(before));
      const added = addressesOf(after).filter((address) => !published.has(address));
      return added
        .filter((address) => {
          evaluated();
          return !real.has(address);
        })
        .map((address) => ({
          at,
          found: `${key} publishes ${address}, which belongs to no load balancer of the Service`,
        }));
    });
  },
};
