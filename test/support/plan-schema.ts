import { z } from 'zod';
import { planOutput } from '../../src/plan-command/plan-schema.ts';

/** Returns the JSON Schema of `portcullis plan -o json`, which `make generate` writes into docs/reference. */
export function planSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(planOutput, { io: 'input' });
  const about = { title: 'Output of portcullis plan', description: 'What `portcullis plan -o json` prints.' };
  return `${JSON.stringify({ $schema, ...about, ...schema }, undefined, 2)}\n`;
}
