import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, findBrowser, type Tab, type TabEvent } from './browser.ts';
import { serveFolder } from './static-server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SITE = join(ROOT, 'dist', 'site');
const SCREENSHOTS = join(ROOT, 'dist', 'screenshots');

interface PageCheck {
  readonly name: string;
  readonly path: string;
  readonly scheme: 'light' | 'dark';
  /** The expressions that must be true in the page. */
  readonly requires: readonly string[];
  /** The terms that the search must find. */
  readonly search?: string;
}

const CHECKS: readonly PageCheck[] = [
  {
    name: 'home',
    path: '/',
    scheme: 'light',
    requires: ['document.documentElement.lang === "en"'],
    search: 'bandwidth',
  },
  {
    name: 'install',
    path: '/tasks/install.html',
    scheme: 'light',
    requires: ['document.querySelector(".VPDoc table")'],
  },
  {
    name: 'architecture-dark',
    path: '/concepts/architecture.html',
    scheme: 'dark',
    requires: [
      'document.querySelectorAll(".diagram svg").length === 2',
      `[...document.querySelectorAll(".diagram foreignObject")].every((label) =>
        label.firstElementChild.getBoundingClientRect().height <= label.getBoundingClientRect().height + 1)`,
      'document.documentElement.classList.contains("dark")',
    ],
  },
  {
    name: 'zh-annotations',
    path: '/zh/reference/annotations.html#bandwidth',
    scheme: 'light',
    requires: ['document.documentElement.lang === "zh-CN"', 'document.getElementById("bandwidth")'],
    search: '健康检查',
  },
  {
    name: 'zh-troubleshoot-dark',
    path: '/zh/tasks/troubleshoot.html',
    scheme: 'dark',
    requires: ['document.documentElement.lang === "zh-CN"', 'document.documentElement.classList.contains("dark")'],
  },
];

const SIZES = [
  { width: 1280, height: 900, mobile: false },
  { width: 390, height: 844, mobile: true },
] as const;

/** Conditions of every page. */
const ALWAYS = [
  'document.querySelector("h1")?.textContent.trim()',
  'document.querySelector(".VPNavBar")?.textContent.includes("Portcullis")',
  'document.documentElement.scrollWidth <= innerWidth',
];

const DEADLINE_MS = 15_000;

/** Waits until an expression is true in the page. Returns whether that happened in time. */
const becomesTrue = async (tab: Tab, expression: string): Promise<boolean> =>
  (await tab.evaluate(`(async () => {
    const deadline = Date.now() + ${DEADLINE_MS};
    while (Date.now() < deadline) {
      if (${expression}) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  })()`)) === true;

const unmet = async (tab: Tab, expressions: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const expression of expressions)
    if (!(await becomesTrue(tab, expression))) found.push(`not true: ${expression}`);
  return found;
};

type Params = Readonly<Record<string, unknown>>;

/** The errors that events of the browser report, by the method of the event. */
const TROUBLE: Readonly<Record<string, (params: Params, origin: string) => string | undefined>> = {
  'Runtime.exceptionThrown': ({ exceptionDetails }) => `exception: ${JSON.stringify(exceptionDetails)}`,
  'Runtime.consoleAPICalled': ({ type, args }) => (type === 'error' ? `console: ${JSON.stringify(args)}` : undefined),
  'Network.loadingFailed': ({ canceled, errorText }) =>
    canceled === true ? undefined : `request failed: ${String(errorText)}`,
  'Network.responseReceived': ({ response }) => {
    const { status, url } = response as { readonly status: number; readonly url: string };
    return status >= 400 ? `status ${status}: ${url}` : undefined;
  },
  'Network.requestWillBeSent': ({ request }, origin) => {
    const { url } = request as { readonly url: string };
    return url.startsWith(origin) || url.startsWith('data:') ? undefined : `request to another host: ${url}`;
  },
};

/** Returns what went wrong in the page: errors, failed requests, and requests to other hosts. */
const troubleOf = (events: readonly TabEvent[], origin: string): readonly string[] =>
  events.flatMap(({ method, params }) => TROUBLE[method]?.(params, origin) ?? []);

/** Types a term into the search. Returns what is wrong with the results. */
async function searchTrouble(tab: Tab, term: string): Promise<readonly string[]> {
  await tab.evaluate('document.querySelector(".VPNavBarSearch button")?.click()');
  if (!(await becomesTrue(tab, 'document.querySelector(".search-input")'))) return ['the search does not open'];
  await tab.evaluate('document.querySelector(".search-input").focus()');
  await tab.send('Input.insertText', { text: term });
  const found = await becomesTrue(tab, 'document.querySelectorAll(".results .result").length > 0');
  return found ? [] : [`the search does not find ${term}`];
}

async function checkPage(
  tab: Tab,
  check: PageCheck,
  origin: string,
  size: (typeof SIZES)[number],
): Promise<readonly string[]> {
  await tab.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1 });
  await tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: check.scheme }] });
  await tab.send('Page.navigate', { url: origin + check.path });
  const conditions = await unmet(tab, ['document.readyState === "complete"', ...ALWAYS, ...check.requires]);
  const { data } = await tab.send('Page.captureScreenshot', { format: 'png' });
  writeFileSync(join(SCREENSHOTS, `${check.name}-${size.width}.png`), Buffer.from(String(data), 'base64'));
  const search = check.search === undefined ? [] : await searchTrouble(tab, check.search);
  return [...conditions, ...search, ...troubleOf(tab.events, origin)];
}

/** Checks pages of the built site in Chromium for `make docs-browser`, because only a browser shows the errors of scripts. */
async function main(): Promise<number> {
  const path = findBrowser();
  if (path === undefined) {
    process.stderr.write('no Chromium is on the PATH: install it (Debian: apt install chromium), and try again\n');
    return 1;
  }
  if (!existsSync(join(SITE, 'index.html'))) {
    process.stderr.write('dist/site has no site: run make docs\n');
    return 1;
  }
  rmSync(SCREENSHOTS, { recursive: true, force: true });
  mkdirSync(SCREENSHOTS, { recursive: true });
  await using server = await serveFolder(SITE);
  await using browser = await Browser.start(path);
  let status = 0;
  for (const check of CHECKS) {
    for (const size of SIZES) {
      const trouble = await checkPage(await browser.openTab(), check, server.origin, size);
      process.stdout.write(`${trouble.length === 0 ? '✓' : '✗'} ${check.path} at ${size.width} px, ${check.scheme}\n`);
      for (const line of trouble) process.stdout.write(`    ${line}\n`);
      if (trouble.length > 0) status = 1;
    }
  }
  process.stdout.write('screenshots are in dist/screenshots\n');
  return status;
}

process.exitCode = await main();
