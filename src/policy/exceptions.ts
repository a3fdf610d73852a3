import { messageOf } from '../base/errors.ts';
import { objectKey, type ObjectKey } from '../base/kubernetes-objects.ts';
import type { Problem } from './compile.ts';
import { momentOf } from './enforcement.ts';
import type { Selectors } from './object-label-index.ts';
import type { LoadBalancerException } from './custom-resources.ts';
import { selectorOf, type Labelled, type Labels, type Selector } from './selector.ts';
import type { Tunable } from './tunable-rule.ts';

/** An object that an exception can cover. */
export interface Target {
  readonly kind: 'Service' | 'Node';
  /** Empty for a Node. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** A LoadBalancerException, compiled for fast evaluation. */
export interface Exception {
  readonly name: string;
  readonly generation: number;
  readonly rule: string;
  readonly owner: string;
  readonly expires: { readonly ms: number; readonly text: string };
  /** The covered Service. Undefined if the exception covers a Node or a selection. */
  readonly service: ObjectKey | undefined;
  /** The selectors of the covered objects. Undefined if the exception names an object. */
  readonly selection: Selectors | undefined;
  /** The index key: the covered object, a label of all selected objects, or an empty text. */
  readonly anchor: string;
  covers(target: Target, namespace: Labelled): boolean;
}

const objectAnchor = (namespace: string, name: string): string => `object ${namespace}/${name}`;
const labelAnchor = (of: 'namespace' | 'service', key: string, value: string): string => `${of} ${key}=${value}`;
const ANYWHERE = '';

type Selection = NonNullable<LoadBalancerException['spec']['selector']>;

/** Returns the index key of a selection: a label of all selected objects, or else `ANYWHERE`. */
function anchorOf({ namespaceSelector, serviceSelector }: Selection): string {
  const [ofNamespace] = Object.entries(namespaceSelector?.matchLabels ?? {});
  if (ofNamespace !== undefined) return labelAnchor('namespace', ...ofNamespace);
  const [ofService] = Object.entries(serviceSelector?.matchLabels ?? {});
  return ofService === undefined ? ANYWHERE : labelAnchor('service', ...ofService);
}

/** Returns whether a selector certainly selects an object. Unknown labels do not match, so that an exception never covers too much. */
const selects = (selector: Selector | undefined, labelled: Labelled): boolean =>
  selector === undefined || selector(labelled) === true;

function coverageOf({
  object,
  selector,
}: LoadBalancerException['spec']): Pick<Exception, 'service' | 'anchor' | 'selection' | 'covers'> {
  if (object !== undefined) {
    const { namespace: ofObject = '', name: nameOfObject } = object;
    return {
      service: ofObject === '' ? undefined : objectKey(nameOfObject, ofObject),
      anchor: objectAnchor(ofObject, nameOfObject),
      selection: undefined,
      covers: ({ namespace, name }) => namespace === ofObject && name === nameOfObject,
    };
  }
  const namespaces = selectorOf(selector?.namespaceSelector);
  const services = selectorOf(selector?.serviceSelector);
  // Only administrators label namespaces, so a selection requires a namespace selector. With a Service selector alone, a user could exempt any
  // Service by a label.
  if (namespaces === undefined)
    throw new RangeError(
      'selector.namespaceSelector is empty, but users can choose the labels of their Services; set a label or an expression in selector.namespaceSelector',
    );
  return {
    service: undefined,
    anchor: anchorOf(selector ?? {}),
    selection: { namespaces, services },
    covers: ({ kind, labels }, namespace) =>
      kind === 'Service' && selects(namespaces, namespace) && selects(services, { labels, isComplete: true }),
  };
}

/** Throws `RangeError` if the rule does not check the kind of object that the exception covers. */
function checkTarget({ rule, object, selector }: LoadBalancerException['spec'], kind: Target['kind']): void {
  if (kind === 'Node' && selector !== undefined)
    throw new RangeError(`${rule} checks Nodes, which no selector matches; name a Node in object`);
  if (kind === 'Node' && object?.namespace !== undefined)
    throw new RangeError(`${rule} checks Nodes, which have no namespace; remove object.namespace`);
  if (kind === 'Service' && object !== undefined && object.namespace === undefined)
    throw new RangeError(`${rule} checks Services, which have a namespace; set object.namespace`);
}

/** The result of compiling an exception. */
export type CompiledException =
  | { readonly exception: Exception; readonly problem?: undefined }
  | { readonly exception?: undefined; readonly problem: Problem };

/** Compiles an exception after each change. Never throws, because an invalid exception becomes a problem and covers nothing. */
export function compileException({ metadata, spec }: LoadBalancerException, tunable: Tunable): CompiledException {
  try {
    const kind = spec.rule.startsWith('policy/') ? 'Service' : tunable.get(spec.rule)?.kind;
    if (kind === undefined) {
      throw new RangeError(`there is no rule ${JSON.stringify(spec.rule)} that allows exceptions`);
    }
    checkTarget(spec, kind);
    return {
      exception: {
        name: metadata.name,
        generation: metadata.generation ?? 0,
        rule: spec.rule,
        owner: spec.owner,
        expires: { ms: momentOf(spec.expires), text: spec.expires },
        ...coverageOf(spec),
      },
    };
  } catch (error) {
    return { problem: { path: 'spec', message: messageOf(error) } };
  }
}

/** An index of exceptions by rule and by covered object, so that a request does not check every exception. */
export class Exceptions {
  readonly #byRule = new Map<string, Map<string, Set<Exception>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(exception: Exception): void {
    const { rule, anchor } = exception;
    const anchors = this.#byRule.get(rule) ?? new Map<string, Set<Exception>>();
    this.#byRule.set(rule, anchors);
    const filed = anchors.get(anchor);
    if (filed === undefined) anchors.set(anchor, new Set([exception]));
    else filed.add(exception);
    this.#size += 1;
  }

  remove(exception: Exception): void {
    const anchors = this.#byRule.get(exception.rule);
    const filed = anchors?.get(exception.anchor);
    if (filed?.delete(exception) !== true) return;
    this.#size -= 1;
    if (filed.size === 0) anchors?.delete(exception.anchor);
    if (anchors?.size === 0) this.#byRule.delete(exception.rule);
  }

  /** Returns the exception in force that covers the object and expires last. Among exceptions with equal dates, returns the first by name. */
  find(rule: string, target: Target, namespace: Labelled, now: number): Exception | undefined {
    const anchors = this.#byRule.get(rule);
    if (anchors === undefined) return undefined;
    let best: Exception | undefined;
    for (const anchor of anchorsOf(target, namespace)) {
      for (const exception of anchors.get(anchor) ?? []) {
        if (now < exception.expires.ms && exception.covers(target, namespace) && outlasts(exception, best)) {
          best = exception;
        }
      }
    }
    return best;
  }
}

function outlasts(exception: Exception, best: Exception | undefined): boolean {
  if (best === undefined) return true;
  const difference = exception.expires.ms - best.expires.ms;
  return difference > 0 || (difference === 0 && exception.name < best.name);
}

/** Returns the index keys under which an exception for this object may be stored. */
function anchorsOf({ namespace, name, labels }: Target, { labels: ofNamespace }: Labelled): readonly string[] {
  return [
    objectAnchor(namespace, name),
    ...Object.entries(ofNamespace).map(([key, value]) => labelAnchor('namespace', key, value)),
    ...Object.entries(labels).map(([key, value]) => labelAnchor('service', key, value)),
    ANYWHERE,
  ];
}
