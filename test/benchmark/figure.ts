/** A result of a benchmark, as a row of the table that run.ts prints. A value beyond a limit fails the run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The upper limit. Undefined if the value is only reported. */
  readonly limit?: number;
  /** The lower limit. */
  readonly least?: number;
  /** The value of the Alibaba Cloud Controller Manager. */
  readonly existing?: number;
}

export const isOver = ({ value, limit, least }: Figure): boolean =>
  (limit !== undefined && !(value <= limit)) || (least !== undefined && !(value >= least));

/** Returns the median. NaN for no values. */
export const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? NaN;

const HEAD = ['figure', 'value', 'limit', '', 'existing controller'];

const rowOf = (figure: Figure): readonly string[] => {
  const { name, value, unit, limit, least, existing } = figure;
  const text = (amount: number): string => `${Number(amount.toPrecision(3))} ${unit}`.trimEnd();
  const bound = limit === undefined ? (least === undefined ? '' : `≥ ${text(least)}`) : text(limit);
  const verdict = bound === '' ? '' : isOver(figure) ? 'OVER' : 'ok';
  return [name, text(value), bound, verdict, existing === undefined ? '' : text(existing)];
};

/** Returns one line for each figure, in columns. */
export function table(figures: readonly Figure[]): string {
  const columns = figures.some(({ existing }) => existing !== undefined) ? HEAD.length : HEAD.length - 1;
  const rows = [HEAD, ...figures.map(rowOf)].map((row) => row.slice(0, columns));
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
