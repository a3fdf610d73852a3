import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Takes hold of the HTTP requests that are made in its context: the SDK hands out none, and Node announces each as it is made. */
const holding = new AsyncLocalStorage<(request: ClientRequest) => void>();

subscribe('http.client.request.created', (message) => {
  holding.getStore()?.((message as { readonly request: ClientRequest }).request);
});

/**
 * Runs `call`, which makes HTTP requests, and calls `beforeSend` once the connection of each stands, right before its first byte.
 * If `beforeSend` throws, the request is not sent and this rejects with what was thrown.
 */
export async function checkedBeforeSend<Value>(beforeSend: () => void, call: () => Promise<Value>): Promise<Value> {
  const forbidden = Promise.withResolvers<never>();
  const hold = (request: ClientRequest): void => {
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
  return Promise.race([holding.run(hold, call), forbidden.promise]);
}

/** Calls `check` when the socket can send; what is written before that stays in this process until `check` has returned. */
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
