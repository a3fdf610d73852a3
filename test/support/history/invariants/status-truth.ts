import type { Service } from '../../../../src/objects.ts';
import type { Invariant } from '../moment.ts';
import { isOfService } from '../ownership.ts';

const addressesOf = (service: Service | undefined): readonly string[] =>
  (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));

export const statusTruth: Invariant = {
  name: 'StatusTruth',
  says: 'an address is published only of what exists',
  check: (history, { judged }) =>
    history.flatMap((moment, at) => {
      if (!isOfService(moment) || moment.by !== 'controller' || moment.isUnseen === true) return [];
      const { before, after, key, loadBalancers, elasticAddresses } = moment;
      const real = new Set([...loadBalancers.map(({ address }) => address), ...elasticAddresses]);
      const published = new Set(addressesOf(before));
      const news = addressesOf(after).filter((address) => !published.has(address));
      return news
        .filter((address) => {
          judged();
          return !real.has(address);
        })
        .map((address) => ({ at, found: `${key} publishes ${address}, which is nobody's` }));
    }),
};
