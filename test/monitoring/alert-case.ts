/** The samples of each minute in promtool's notation, and the time of evaluation. */
export interface AlertCase {
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** The labels of the firing alert in addition to the severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Cases by title. */
export interface AlertCases {
  readonly fires: Readonly<Record<string, AlertCase>>;
  readonly stays: Readonly<Record<string, AlertCase>>;
}

/** Counter that grows from 0 to 1 after some minutes. */
const ONCE = '0x5 1x30';
export const once = (series: string, labels?: Readonly<Record<string, string>>): AlertCase => ({
  series: { [series]: ONCE },
  at: '7m',
  ...(labels === undefined ? {} : { labels }),
});
export const never = (series: string): AlertCase => ({ series: { [series]: '0x30' }, at: '7m' });
