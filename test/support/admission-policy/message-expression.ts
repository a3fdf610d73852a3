import { violationMessage } from '../../../src/rules/engine/message.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import type { Rule } from '../../../src/rules/rule.ts';
import { aFacts } from '../facts.ts';
import { aService, type ServiceInput } from '../service.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { literal } from './cel.ts';

/** A Service that a rule denies. */
export interface Sample extends ServiceInput {
  /** The stored Service, which has a load balancer. */
  readonly before?: ServiceInput;
  /** The published address of the load balancer. Defaults to a public address. */
  readonly address?: string;
}

const served = (input: ServiceInput, ip: string): Service => ({
  ...aService(input),
  status: { loadBalancer: { ingress: [{ ip }] } },
});

/**
 * Returns the webhook's message about the sample as CEL. The expressions in `inPlaceOf` replace texts of the sample by texts of the evaluated
 * Service.
 */
export function messageExpression(
  rule: Rule,
  field: string,
  { before, address = '192.0.2.1', ...input }: Sample,
  inPlaceOf: Readonly<Record<string, string>> = {},
): string {
  const subject =
    before === undefined
      ? serviceSubject(aService(input))
      : serviceSubject(served(input, address), served(before, address));
  const violations = rule.check(subject, aFacts(), { mode: () => 'enforce' });
  const violation = violations.find((one) => one.field.startsWith(field) && one.advice !== true);
  if (violation === undefined) throw new Error(`rule ${rule.name} has no violation of ${field}`);
  const texts = Object.keys(inPlaceOf);
  const text = `${violation.field}: ${violationMessage({ rule, violation })}`;
  const missing = texts.find((one) => !text.includes(one));
  if (missing !== undefined) throw new Error(`the message of ${rule.name} for ${field} has no "${missing}": ${text}`);
  return cut(text, texts)
    .filter((piece) => piece !== '')
    .map((piece) => inPlaceOf[piece] ?? literal(piece))
    .join(' + ');
}

/** Splits a text at the given texts, and keeps them as separate pieces. */
const cut = (text: string, texts: readonly string[]): readonly string[] =>
  texts.reduce<readonly string[]>(
    (pieces, part) =>
      pieces.flatMap((piece) =>
        texts.includes(piece)
          ? [piece]
          : piece.split(part).flatMap((rest, index) => (index === 0 ? [rest] : [part, rest])),
      ),
    [text],
  );

/** The maximum number of characters of a text that policies show. */
export const SHOWN = 120;
const short = (text: string): string => `${text}.substring(0, size(${text}) < ${SHOWN} ? size(${text}) : ${SHOWN})`;

/** Returns the expression for a text of the Service, without line breaks, because the API server rejects a message with a line break. */
export const shown = (text: string): string => `${short(text)}.replace('\\n', ' ').replace('\\r', ' ')`;

/** Returns a text of the Service between quotation marks. Escapes line breaks and the characters that quoting needs. */
export const quotedIn = (text: string): string =>
  `'"' + ${short(text)}.replace('\\\\', '\\\\\\\\').replace('"', '\\\\"').replace('\\n', '\\\\n').replace('\\r', '\\\\r') + '"'`;
