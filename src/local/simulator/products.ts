import type { Product } from './operation.ts';
import { SLB } from './slb/product.ts';

/** Every product that the simulator knows; a call is told apart by its version and action. */
export const PRODUCTS: readonly Product[] = [SLB];
