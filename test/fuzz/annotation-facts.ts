import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Facts about an annotation from the cloud's documentation, and from the behavior of the Alibaba Cloud Controller Manager. */
export interface Fact {
  /** The suffix of the key. */
  readonly name: string;
  readonly key: string;
  /** Deprecated key. */
  readonly legacy?: string;
  readonly type: 'enum' | 'string' | 'map' | 'flag' | 'presence' | 'int' | 'bool' | 'list';
  readonly values?: readonly string[];
  /** Inclusive bounds. */
  readonly range?: readonly [number, number];
  /** Valid numbers outside the range. */
  readonly also?: readonly number[];
  /** Set if zero means the same as an unset annotation. */
  readonly zero?: 'unset';
  readonly anyCase?: boolean;
  /** The value as which the Alibaba Cloud Controller Manager silently reads every other text. */
  readonly otherwise?: string;
  readonly example: string;
}

/** Expected values of the fuzz tests. The data is independent of the product's catalogue, so that a mistake there is not repeated here. */
export const FACTS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'annotation-facts.json'), 'utf8'),
) as readonly Fact[];

const BY_NAME = new Map(FACTS.map((fact) => [fact.name, fact]));

export function factOf(name: string): Fact {
  const fact = BY_NAME.get(name);
  if (fact === undefined) throw new Error(`annotation-facts.json has no ${name}`);
  return fact;
}
