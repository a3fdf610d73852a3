/** Figures as Prometheus reads them each minute, in promtool's notation, and when to look at the alert. */
export interface AlertCase {
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** Beside the severity, where it fires. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** By sentences. */
export interface AlertCases {
  readonly fires: Readonly<Record<string, AlertCase>>;
  readonly stays: Readonly<Record<string, AlertCase>>;
}

/** A count that grows by one after some minutes, from a page on which it was zero. */
const ONCE = '0x5 1x30';
export const once = (series: string, labels?: Readonly<Record<string, string>>): AlertCase => ({
  series: { [series]: ONCE },
  at: '7m',
  ...(labels === undefined ? {} : { labels }),
});
export const never = (series: string): AlertCase => ({ series: { [series]: '0x30' }, at: '7m' });
