import { main } from './cli.ts';

// The container image and the installed program start this module. Tests import `cli.ts` instead, which runs nothing by itself.
void main();
