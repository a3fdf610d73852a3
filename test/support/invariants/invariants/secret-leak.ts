import type { Invariant, Moment } from '../moment.ts';

/** Patterns of secrets: private keys and tokens of the API server. */
const SECRET = /-----BEGIN [A-Z ]*PRIVATE KEY-----|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\./;

function textOf(moment: Moment): string {
  if (moment.kind === 'emitted') return moment.message;
  if (moment.kind === 'printed') return moment.text;
  if (moment.kind === 'stored') return moment.by === 'controller' ? JSON.stringify(moment.after ?? '') : '';
  return moment.kind === 'sent' ? JSON.stringify(moment.call.parameters) : '';
}

/** A key in an event, a log or a call gives its readers access to the cloud. */
export const secretLeak: Invariant = {
  name: 'SecretLeak',
  statement: 'no private key, token or access key is in an event, a write, a log, or a call',
  check: (history, { secrets, evaluated }) =>
    history.flatMap((moment, at) => {
      const text = textOf(moment);
      if (text === '') return [];
      evaluated();
      const isLeak = SECRET.test(text) || secrets.some((secret) => text.includes(secret));
      return isLeak ? [{ at, found: 'a secret was emitted' }] : [];
    }),
};
