import assert from 'node:assert/strict';
import { millisecondsOf, readAuditLog } from '../../../support/invariants/audit-log.ts';

const OURS = 'system:serviceaccount:portcullis-system:portcullis-controller';
const service = (resourceVersion: string, metadata: object = {}) => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion, ...metadata },
});

interface LineInput {
  readonly verb?: string;
  /** Milliseconds and microseconds within one second. */
  readonly at?: string;
  readonly user?: string;
  readonly agent?: string;
  readonly uri?: string;
  readonly code?: number;
  readonly stage?: string;
  readonly ref?: object;
  readonly sent?: object;
  readonly answer?: object;
}

const line = ({ verb = 'patch', at = '000000', ...input }: LineInput): string =>
  `${JSON.stringify({
    kind: 'Event',
    level: 'RequestResponse',
    stage: input.stage ?? 'ResponseComplete',
    requestURI: input.uri ?? '/api/v1/namespaces/shop/services/web',
    verb,
    user: { username: input.user ?? 'administrator' },
    userAgent: input.agent ?? 'kubectl/v1.36.3',
    objectRef: input.ref ?? { resource: 'services', namespace: 'shop', name: 'web', apiVersion: 'v1' },
    responseStatus: { code: input.code ?? 200 },
    requestObject: input.sent,
    responseObject: input.answer,
    requestReceivedTimestamp: `2026-01-01T00:00:00.${at}Z`,
  })}\n`;
const byUs = { user: OURS, agent: 'portcullis-controller/0.1.0' };
const created = line({ verb: 'create', code: 201, answer: service('5') });

/** Returns the entries in short form. */
const eventsOf = (...lines: readonly string[]): readonly string[] =>
  readAuditLog(lines.join('')).map(({ happened }) => {
    if (happened.kind === 'emitted') return `${happened.target.name} ${happened.reason}: ${happened.message}`;
    const { by, plural, key, before, after } = happened;
    const [from, to] = [before, after].map((object) => object?.metadata.resourceVersion ?? 'nothing');
    return `${by}: ${plural} ${key} from ${from} to ${to}`;
  });

/** The invariants of real processes are checked on the audit log, so a misread entry would hide a violation. */
describe('the audit log of an API server', () => {
  it('contains the object before and after each change', () => {
    assert.deepEqual(eventsOf(created, line({ at: '000100', answer: service('6') })), [
      'others: services shop/web from nothing to 5',
      'others: services shop/web from 5 to 6',
    ]);
  });

  const ignored: Readonly<Record<string, LineInput>> = {
    'was rejected': { code: 409, answer: { kind: 'Status' } },
    'was a dry run': { uri: '/api/v1/namespaces/shop/services/web?dryRun=All', answer: service('6') },
    'is a read': { verb: 'get', answer: service('6') },
    'is incomplete': { stage: 'ResponseStarted', answer: service('6') },
    'changes nothing': { answer: service('5') },
  };
  for (const [title, input] of Object.entries(ignored)) {
    it(`is read without an entry that ${title}`, () => {
      assert.deepEqual(eventsOf(created, line({ at: '000100', ...input })), [
        'others: services shop/web from nothing to 5',
      ]);
    });
  }

  it('distinguishes the controller from users of its account, and from all other users', () => {
    assert.deepEqual(
      eventsOf(
        created,
        line({ ...byUs, answer: service('6') }),
        line({ ...byUs, agent: 'test/1', answer: service('7') }),
        line({ ...byUs, user: 'somebody', answer: service('8') }),
      ).map((text) => text.split(':')[0]),
      ['others', 'controller', 'others', 'others'],
    );
  });

  const removals: Readonly<Record<string, LineInput>> = {
    'a deletion with the object as response': { verb: 'delete', answer: service('5') },
    'a deletion with a status as response': { verb: 'delete', answer: { kind: 'Status', status: 'Success' } },
    'the removal of the last finalizer': {
      verb: 'patch',
      answer: service('5', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    'the deletion of a collection': {
      verb: 'deletecollection',
      answer: { kind: 'ServiceList', items: [service('5')] },
    },
  };
  for (const [title, input] of Object.entries(removals)) {
    it(`proves the end of an object with ${title}`, () => {
      assert.deepEqual(eventsOf(created, line({ at: '000100', ...input })), [
        'others: services shop/web from nothing to 5',
        'others: services shop/web from 5 to nothing',
      ]);
    });
  }

  it('keeps an object with a finalizer', () => {
    const marked = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] };
    assert.deepEqual(
      eventsOf(created, line({ verb: 'delete', at: '000100', answer: service('6', marked) }))[1],
      'others: services shop/web from 5 to 6',
    );
  });

  it('is ordered by the store if requests overtake each other', () => {
    const late = line({ at: '000900', answer: service('6') });
    const early = line({ at: '000100', answer: service('7') });
    assert.deepEqual(eventsOf(early, created, late).slice(1), [
      'others: services shop/web from 5 to 6',
      'others: services shop/web from 6 to 7',
    ]);
    const times = readAuditLog([created, late, early].join('')).map(
      ({ atMs }) => atMs - Date.parse('2026-01-01T00:00:00Z'),
    );
    assert.deepEqual(
      times.map((ms) => ms.toFixed(1)),
      ['0.0', '0.9', '0.9'],
      'the change that was stored last has no earlier time than the change before',
    );
  });

  describe('with an empty patch', () => {
    const other = { resource: 'services', namespace: 'shop', name: 'other', apiVersion: 'v1' };
    const stored = service('6', { name: 'other', uid: 'o' });

    it('dates changes of other objects by their own requests', () => {
      const empty = line({ at: '000900', answer: service('5') });
      const times = readAuditLog([created, line({ at: '000100', ref: other, answer: stored }), empty].join('')).map(
        ({ atMs }) => (atMs - Date.parse('2026-01-01T00:00:00Z')).toFixed(1),
      );
      assert.deepEqual(times, ['0.0', '0.1']);
    });

    it('contains the user of the write that an empty patch waited for', () => {
      const empty = line({ at: '000100', sent: {}, answer: service('6') });
      const written = line({ ...byUs, at: '000200', sent: { metadata: { labels: { a: 'b' } } }, answer: service('6') });
      assert.deepEqual(eventsOf(created, empty, written).slice(1), ['controller: services shop/web from 5 to 6']);
    });

    it('contains the user of a JSON patch that an empty JSON patch waited for', () => {
      const empty = line({ at: '000100', sent: [], answer: service('6') });
      const written = line({ ...byUs, at: '000200', sent: [{ op: 'remove', path: '/x' }], answer: service('6') });
      assert.deepEqual(eventsOf(created, empty, written).slice(1), ['controller: services shop/web from 5 to 6']);
    });

    it('contains the user of the write, in either order of the entries', () => {
      const written = line({ ...byUs, at: '000100', answer: service('6') });
      const empty = line({ at: '000200', answer: service('6') });
      assert.deepEqual(eventsOf(created, empty, written), [
        'others: services shop/web from nothing to 5',
        'controller: services shop/web from 5 to 6',
      ]);
    });
  });

  it('contains a change of a Secret without the content of the Secret', () => {
    const secret = { resource: 'secrets', namespace: 'shop', name: 'key' };
    assert.deepEqual(eventsOf(line({ ref: secret })), ['others: secrets shop/key from nothing to nothing']);
  });

  it('contains the events of the controller, and of no other user', () => {
    const ref = { resource: 'events', namespace: 'shop', name: 'web.1' };
    const event = {
      reason: 'EnsuredLoadBalancer',
      message: 'it is done',
      type: 'Normal',
      involvedObject: { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'shop', uid: 'u' },
    };
    assert.deepEqual(eventsOf(line({ ...byUs, ref, sent: event }), line({ ref, sent: event })), [
      'web EnsuredLoadBalancer: it is done',
    ]);
  });

  it('is read later from a line that is not complete yet', () => {
    assert.deepEqual(eventsOf(created, line({ answer: service('6') }).slice(0, 40)).length, 1);
  });

  it('has times to the microsecond', () => {
    assert.equal(millisecondsOf('2026-01-01T00:00:00.123456Z'), Date.parse('2026-01-01T00:00:00.123Z') + 0.456);
    assert.equal(millisecondsOf('2026-01-01T00:00:00Z'), Date.parse('2026-01-01T00:00:00Z'));
  });
});
