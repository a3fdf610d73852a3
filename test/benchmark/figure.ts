/** What a benchmark has measured. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it may be at most; absent for one that is only told. */
  readonly limit?: number;
}

export const isOver = ({ value, limit }: Figure): boolean => limit !== undefined && !(value <= limit);

const HEAD = ['figure', 'value', 'limit', ''];

const rowOf = (figure: Figure): readonly string[] => {
  const { name, value, unit, limit } = figure;
  const told = (amount: number): string => `${Number(amount.toPrecision(3))} ${unit}`;
  const verdict = limit === undefined ? '' : isOver(figure) ? 'OVER' : 'ok';
  return [name, told(value), limit === undefined ? '' : told(limit), verdict];
};

/** One line a figure, in columns. */
export function table(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
