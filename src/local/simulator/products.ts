import { ECS } from './ecs/product.ts';
import type { Product } from './operation.ts';
import { SLB } from './slb/product.ts';
import { STS } from './sts/product.ts';
import { VPC } from './vpc/product.ts';

/** Every product that the simulator knows; a call is told apart by its version and action. */
export const PRODUCTS: readonly Product[] = [SLB, VPC, ECS, STS];
