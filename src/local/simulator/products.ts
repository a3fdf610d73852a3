import { ECS } from './ecs/product.ts';
import type { SimulatedProduct } from './operation.ts';
import { SLB } from './slb/product.ts';
import { STS } from './sts/product.ts';
import { VPC } from './vpc/product.ts';

/** All products of the simulator. The parameters `Version` and `Action` of a call select the operation. */
export const PRODUCTS: readonly SimulatedProduct[] = [SLB, VPC, ECS, STS];
