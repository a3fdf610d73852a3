import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns the path of a Chromium on the PATH. */
export const findBrowser = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

/** A message of the DevTools protocol: a result if it has an id, else an event. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** An event of a tab. */
export type TabEvent = Readonly<{ method: string; params: Readonly<Record<string, unknown>> }>;

/** A tab of the browser, by the DevTools protocol. */
export interface Tab {
  send(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Evaluates an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Events since the tab was opened. */
  readonly events: TabEvent[];
}

async function debuggerAddress(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('the browser has no standard error');
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /^DevTools listening on (ws:.+)$/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the browser ended before it listened');
}

/** A headless Chromium with its own profile. The check of the documentation site (`make docs-browser`) starts it. */
export class Browser implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (message: Message) => void>();
  readonly #tabs = new Map<string, TabEvent[]>();
  #calls = 0;

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#child = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Message));
  }

  static async start(path: string): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'site-browser-'));
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const flags = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--disable-gpu'];
    const child = spawn(path, [...flags, '--no-first-run', '--hide-scrollbars', ...sandbox, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const socket = new WebSocket(await debuggerAddress(child));
    child.stderr.resume();
    await once(socket, 'open');
    return new Browser(child, profile, socket);
  }

  #receive({ id, method, sessionId, params = {}, ...rest }: Message): void {
    if (id !== undefined) this.#pending.get(id)?.({ id, ...rest });
    else if (method !== undefined) this.#tabs.get(sessionId ?? '')?.push({ method, params });
  }

  async #send(method: string, params: object, sessionId?: string): Promise<Readonly<Record<string, unknown>>> {
    const id = (this.#calls += 1);
    const answer = new Promise<Message>((resolve) => this.#pending.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    const { result = {}, error } = await answer;
    this.#pending.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Opens an empty tab that records its events. */
  async openTab(): Promise<Tab> {
    const { targetId } = await this.#send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.#send('Target.attachToTarget', { targetId, flatten: true });
    const session = String(sessionId);
    const events: TabEvent[] = [];
    this.#tabs.set(session, events);
    const send: Tab['send'] = (method, params = {}) => this.#send(method, params, session);
    for (const domain of ['Page', 'Runtime', 'Network']) await send(`${domain}.enable`);
    return {
      send,
      events,
      evaluate: async (expression) => {
        const { result } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
        return (result as { readonly value?: unknown }).value;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    await this.#send('Browser.close', {});
    await ended;
    this.#socket.close();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
