import { ECS } from './ecs/product.ts';
import type { SimulatedProduct } from './operation.ts';
import { SLB } from './slb/product.ts';
import { STS } from './sts/product.ts';
import { VPC } from './vpc/product.ts';

/** All products of the simulator. Version and action identify the operation of a call. */
export const PRODUCTS: readonly SimulatedProduct[] = [SLB, VPC, ECS, STS];
