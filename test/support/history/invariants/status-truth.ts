import type { Service } from '../../../../src/objects.ts';
import type { Invariant } from '../moment.ts';
import type { LoadBalancerPicture } from '../moment.ts';
import { annotationOf, isOfService, isOwnedBy } from '../ownership.ts';

const addressesOf = (service: Service | undefined): readonly string[] =>
  (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

/** Whether a load balancer was made for a Service, or is named by it. */
const isOf = (picture: LoadBalancerPicture, service: Service): boolean =>
  isOwnedBy(picture, service) || annotationOf(service, 'id') === picture.id;

export const statusTruth: Invariant = {
  name: 'StatusTruth',
  says: 'an address is published only of what exists, and is the Service’s own or named by it',
  check: (history, { judged }) =>
    history.flatMap((moment, at) => {
      if (!isOfService(moment) || moment.by !== 'controller' || moment.isUnseen === true) return [];
      const { before, after, key, loadBalancers, elasticAddresses } = moment;
      const own = loadBalancers.filter((picture) => after !== undefined && isOf(picture, after));
      const real = new Set([...own.map(({ address }) => address), ...elasticAddresses]);
      const published = new Set(addressesOf(before));
      const news = addressesOf(after).filter((address) => !published.has(address));
      return news
        .filter((address) => {
          judged();
          return !real.has(address);
        })
        .map((address) => ({ at, found: `${key} publishes ${address}, which is not its own` }));
    }),
};
