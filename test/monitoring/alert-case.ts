/** The samples of each minute in promtool's notation, and the time of evaluation. `alert-firing.test.ts` gives each case to promtool. */
export interface AlertCase {
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** The labels of the firing alert in addition to the severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Cases of one alert, by title. */
export interface AlertCases {
  /** The cases in which the alert must fire. */
  readonly fires: Readonly<Record<string, AlertCase>>;
  /** The cases in which the alert must not fire. */
  readonly stays: Readonly<Record<string, AlertCase>>;
}

/** Samples of a counter that grows from 0 to 1 after five minutes. */
const ONCE = '0x5 1x30';
/** Returns a case with one increment of a counter. */
export const once = (series: string, labels?: Readonly<Record<string, string>>): AlertCase => ({
  series: { [series]: ONCE },
  at: '7m',
  ...(labels === undefined ? {} : { labels }),
});
/** Returns a case without an increment of a counter. */
export const never = (series: string): AlertCase => ({ series: { [series]: '0x30' }, at: '7m' });
