import { PortcullisError } from '../base/errors.ts';
import type { Product } from './cloud-call-types.ts';

/** The kinds of endpoints. `vpc` endpoints work only inside a VPC, `public` endpoints everywhere. */
export const NETWORKS = ['vpc', 'public'] as const;
export type Network = (typeof NETWORKS)[number];

export interface CloudEndpoint {
  /** `host` or `host:port`. A scheme is not allowed, because the SDK takes it for a host name. */
  readonly host: string;
  readonly protocol: 'https' | 'http';
}

export type CloudEndpoints = (product: Product) => CloudEndpoint;

export interface EndpointOptions {
  readonly regionId: string;
  readonly network: Network;
  /** The environment. `SLB_ENDPOINT`, `VPC_ENDPOINT`, `ECS_ENDPOINT` and `STS_ENDPOINT` override hosts; `ALICLOUD_CLIENT_SCHEME` overrides HTTPS. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PRODUCTS: readonly Product[] = ['Slb', 'Vpc', 'Ecs', 'Sts'];

/** The shared public ECS endpoints for finance and government regions, which have no public endpoints of their own. */
const CENTRAL: Readonly<Record<string, string>> = {
  'cn-hangzhou-finance': 'ecs.aliyuncs.com',
  'cn-shanghai-finance-1': 'ecs-cn-hangzhou.aliyuncs.com',
  'cn-shenzhen-finance-1': 'ecs-cn-hangzhou.aliyuncs.com',
  'cn-north-2-gov-1': 'ecs.aliyuncs.com',
};

function hostByRule(product: Product, { regionId, network }: EndpointOptions): string {
  const name = product.toLowerCase();
  if (network === 'vpc') return `${name}-vpc.${regionId}.aliyuncs.com`;
  const centralEcs = CENTRAL[regionId];
  if (centralEcs === undefined) return `${name}.${regionId}.aliyuncs.com`;
  return product === 'Ecs' ? centralEcs : `${name}.aliyuncs.com`;
}

/** Chooses the endpoint of each product, because the SDK ignores its own setting `network` in most regions. */
export function createEndpoints(options: EndpointOptions): CloudEndpoints {
  const { regionId, environment } = options;
  if (!/^[a-z]{2}-[a-z0-9-]+$/.test(regionId)) {
    throw new PortcullisError('InvalidConfiguration', `region "${regionId}" is invalid: set an id such as cn-hangzhou`);
  }
  const protocol = schemeOf(environment['ALICLOUD_CLIENT_SCHEME']);
  const endpoints = new Map(
    PRODUCTS.map((product): [Product, CloudEndpoint] => {
      const variable = `${product.toUpperCase()}_ENDPOINT`;
      const override = environment[variable]?.trim();
      return [product, { protocol, host: override ? hostOf(variable, override) : hostByRule(product, options) }];
    }),
  );
  return (product) => {
    const endpoint = endpoints.get(product);
    if (endpoint === undefined) throw new PortcullisError('Bug', `no endpoint for product ${product}`);
    return endpoint;
  };
}

function schemeOf(value: string | undefined): CloudEndpoint['protocol'] {
  const scheme = value?.trim().toLowerCase() ?? '';
  if (scheme === '' || scheme === 'https') return 'https';
  if (scheme === 'http') return 'http';
  throw new PortcullisError(
    'InvalidConfiguration',
    `ALICLOUD_CLIENT_SCHEME is "${scheme}": set HTTP or HTTPS, or unset the variable`,
  );
}

/** Returns the host of a host name or URL. Ignores the rest of a URL, as the Alibaba Cloud Controller Manager does. */
function hostOf(variable: string, value: string): string {
  const text = value.includes('://') ? value : `https://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '' || /\s/.test(value)) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `${variable} is "${value}": set a host name such as slb.cn-hangzhou.aliyuncs.com`,
    );
  }
  return url.host;
}
