import type { Parameters } from './call.ts';

/**
 * The prefix of names that begin with a lower-case letter in the model (`vSwitchId`) although two capitals begin the wire name. Other names with two
 * capitals stay (`VServerGroupId`, `TLSCipherPolicy`, `XForwardedFor_proto`). All other names begin with a lower-case letter in the model.
 */
const LOWERED_ALL_THE_SAME = 'VSwitch';

export const modelName = (name: string): string =>
  /^[A-Z]{2}/.test(name) && !name.startsWith(LOWERED_ALL_THE_SAME)
    ? name
    : name.slice(0, 1).toLowerCase() + name.slice(1);

export const wireName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

export type Scalar = string | number | boolean;
export type ApiValue = Scalar | readonly ApiValue[] | { readonly [name: string]: ApiValue | undefined };
/** A request with the names of the model. Undefined values are not sent; empty texts are sent. */
export type ApiParameters = Readonly<Record<string, ApiValue | undefined>>;

/** Returns the request as flat wire parameters, such as `Tag.1.Key`. Names in `verbatim` keep their spelling. */
export function toParameters(request: ApiParameters, verbatim: readonly string[] = []): Parameters {
  const flat: Record<string, string> = {};
  const put = (name: string, value: ApiValue | undefined): void => {
    if (value === undefined) return;
    if (typeof value !== 'object') flat[name] = String(value);
    else if (isList(value)) value.forEach((item, index) => put(`${name}.${index + 1}`, item));
    else Object.entries(value).forEach(([field, item]) => put(`${name}.${wireName(field)}`, item));
  };
  for (const [name, value] of Object.entries(request)) put(verbatim.includes(name) ? name : wireName(name), value);
  return flat;
}

const isList = (value: ApiValue): value is readonly ApiValue[] => Array.isArray(value);

/** A cache of the few hundred names that occur in answers. */
const MODEL_NAMES = new Map<string, string>();

function knownModelName(name: string): string {
  const known = MODEL_NAMES.get(name);
  if (known !== undefined) return known;
  const model = modelName(name);
  MODEL_NAMES.set(name, model);
  return model;
}

/** Returns an answer with the names of the model, at every depth. */
export function toModel(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(toModel);
  if (typeof answer !== 'object' || answer === null) return answer;
  const model: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) model[knownModelName(name)] = toModel(value);
  return model;
}
