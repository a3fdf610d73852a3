import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The observer of the HTTP requests of one call. `observe` is undefined after the call. */
interface RequestObserver {
  observe?: (request: ClientRequest) => void;
}

/** The observer of the current async context, which identifies the call of a new request, because the SDK does not expose its requests. */
const observers = new AsyncLocalStorage<RequestObserver>();

subscribe('http.client.request.created', (message) => {
  observers.getStore()?.observe?.((message as { readonly request: ClientRequest }).request);
});

/** Runs `call`, and calls `beforeSend` before each request sends its first byte. If `beforeSend` throws, sends nothing and rejects with the error. */
export async function checkedBeforeSend<Value>(beforeSend: () => void, call: () => Promise<Value>): Promise<Value> {
  const forbidden = Promise.withResolvers<never>();
  const observe = (request: ClientRequest): void => {
    const check = (): void => {
      try {
        beforeSend();
      } catch (error) {
        forbidden.reject(error);
        request.destroy();
      }
    };
    request.once('socket', (socket) => onceConnected(socket, check));
  };
  const observer: RequestObserver = { observe };
  try {
    return await Promise.race([observers.run(observer, call), forbidden.promise]);
  } finally {
    // The async context of an open socket must not keep the response in memory.
    delete observer.observe;
  }
}

/** Calls `check` when the socket is connected. The socket sends no data before `check` returns. */
function onceConnected(socket: Socket, check: () => void): void {
  if (!socket.connecting) {
    check();
    return;
  }
  socket.cork();
  socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
    check();
    socket.uncork();
  });
}
