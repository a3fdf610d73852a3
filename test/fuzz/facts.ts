import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is known of an annotation from outside: the documentation of the cloud and the behaviour of its existing controller. */
export interface Fact {
  /** What follows the prefix in the key. */
  readonly name: string;
  readonly key: string;
  /** The key's older spelling. */
  readonly legacy?: string;
  readonly type: 'enum' | 'string' | 'map' | 'flag' | 'presence' | 'int' | 'bool' | 'list';
  readonly values?: readonly string[];
  /** Both bounds included. */
  readonly range?: readonly [number, number];
  /** Numbers outside the range that mean something. */
  readonly also?: readonly number[];
  /** Nought says nothing, as if the annotation were not there. */
  readonly zero?: 'unset';
  readonly anyCase?: boolean;
  /** What every other text means to the existing controller, which says nothing of it. */
  readonly otherwise?: string;
  readonly example: string;
}

/**
 * Data of its own, which shares nothing with the catalogue: a mistake there is not to be repeated here.
 */
export const FACTS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'annotation-facts.json'), 'utf8'),
) as readonly Fact[];

const BY_NAME = new Map(FACTS.map((fact) => [fact.name, fact]));

export function factOf(name: string): Fact {
  const fact = BY_NAME.get(name);
  if (fact === undefined) throw new Error(`no fact is known of ${name}`);
  return fact;
}
