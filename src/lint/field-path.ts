/** A step of a field path: the name of a field, the key of a map, or the index in a list. */
export type PathStep = string | number;

const INDEX = /^(?:0|[1-9]\d*)$/;

/** Returns the index of the closing bracket. Only a bracket before a dot, `[` or the end is closing, because keys can contain other brackets. */
function closingBracket(path: string, open: number): number {
  for (let at = path.indexOf(']', open); at >= 0; at = path.indexOf(']', at + 1)) {
    if (at === path.length - 1 || path[at + 1] === '.' || path[at + 1] === '[') return at;
  }
  return path.length;
}

/** Splits a field path, such as `metadata.annotations[key]` or `spec.ports[1].port`, into steps, by which `lint` finds a line. Never throws. */
export function stepsOf(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  let at = 0;
  while (at < path.length) {
    if (path[at] === '[') {
      const close = closingBracket(path, at);
      const inner = path.slice(at + 1, close);
      steps.push(INDEX.test(inner) ? Number(inner) : inner);
      at = close + 1;
    } else {
      const end = path.slice(at).search(/[.[]/);
      const stop = end < 0 ? path.length : at + end;
      if (stop > at) steps.push(path.slice(at, stop));
      at = path[stop] === '[' ? stop : stop + 1;
    }
  }
  return steps;
}

/** Joins steps into a field path for an error message, the inverse of `stepsOf`. Puts keys of annotations and labels in brackets. */
export function pathOf(steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((path, step) => {
    const inBrackets = typeof step === 'number' || /\.(annotations|labels)$/.test(path);
    return inBrackets ? `${path}[${String(step)}]` : path === '' ? String(step) : `${path}.${String(step)}`;
  }, '');
}
