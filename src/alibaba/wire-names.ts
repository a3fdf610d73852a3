import type { Parameters } from './cloud-call-types.ts';

// Wire names are the cloud's names, such as `LoadBalancerId`. Model names are the names in this project, such as `loadBalancerId`.

/** The only lowered prefix: `VSwitchId` becomes `vSwitchId`. Other names with two capitals stay unchanged, such as `VServerGroupId`. */
const LOWERED_PREFIX = 'VSwitch';

/** Returns the model name for a wire name: `loadBalancerId` for `LoadBalancerId`. */
export const modelName = (name: string): string =>
  /^[A-Z]{2}/.test(name) && !name.startsWith(LOWERED_PREFIX) ? name : name.slice(0, 1).toLowerCase() + name.slice(1);

/** Returns the wire name for a model name: `LoadBalancerId` for `loadBalancerId`. */
export const wireName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

export type Scalar = string | number | boolean;
export type ApiValue = Scalar | readonly ApiValue[] | { readonly [name: string]: ApiValue | undefined };
/** A request with model names. Undefined values are not sent, but empty texts are. */
export type ApiParameters = Readonly<Record<string, ApiValue | undefined>>;

/** Returns the parameters of a request by wire name, such as `Tag.1.Key`. Names in `verbatim` keep their first letter. */
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

/** The model names by wire name, as a cache for speed. The cache stays small, because responses contain only a few hundred names. */
const MODEL_NAMES = new Map<string, string>();

function knownModelName(name: string): string {
  const known = MODEL_NAMES.get(name);
  if (known !== undefined) return known;
  const model = modelName(name);
  MODEL_NAMES.set(name, model);
  return model;
}

/** Renames the fields of a response, at all levels, from wire names to model names. */
export function toModel(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(toModel);
  if (typeof answer !== 'object' || answer === null) return answer;
  const model: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) model[knownModelName(name)] = toModel(value);
  return model;
}
