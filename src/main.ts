import { main } from './cli.ts';

void main();
