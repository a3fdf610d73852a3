import { z } from 'zod';
import { DEFAULT_SETTINGS, type SimulatorSettings } from './settings.ts';

const count = z
  .int('expected a whole number')
  .min(0, 'expected 0 or more')
  .max(86_400_000, 'expected at most 86400000');
const Rate = z.strictObject({ calls: count, seconds: z.int().min(1).max(3600) });

/** The settings that are not whole numbers. */
const special = {
  tagMatch: z.enum(['or', 'and']),
  startRunning: z.enum(['accept', 'reject']),
  parallelGroupCreation: z.enum(['accept', 'reject']),
  metadata: z.enum(['any', 'token', 'cut']),
  rates: z.record(z.string().regex(/^(Slb|Vpc|Ecs|Sts)\.\w+$/, 'expected Product.Action'), Rate),
  rateFactor: z.number().min(0).max(1_000),
};

const numbers = Object.fromEntries(
  Object.entries(DEFAULT_SETTINGS)
    .filter(([name]) => !(name in special))
    .map(([name]) => [name, count]),
);

/** The input of `POST /_simulator/settings` and of the flag `--settings`: some settings, by name. The schema rejects unknown names. */
export const SettingsChange = z.strictObject({ ...numbers, ...special }).partial() as z.ZodType<
  Partial<SimulatorSettings>
>;
