import assert from 'node:assert/strict';
import { aListener, anObserved, anObservedListener, aPresent, groupId, groupName } from '../../support/clb-objects.ts';
import { arrows, find, HTTPS, https, nodesOf, pictured } from '../../support/graph-picture.ts';

const REDIRECT = { ...aListener(80), protocol: 'http', listenerForward: 'on', forwardPort: 443, group: '' } as const;

/** A redirect, a certificate or a server group at the wrong listener would explain a missing connection wrongly. */
describe('a listener in the picture of a Service', () => {
  it('leads to its certificates, and with a redirect to the HTTPS listener', () => {
    const picture = pictured({
      desired: aPresent({
        listeners: [
          REDIRECT,
          {
            ...HTTPS,
            protocol: 'https',
            description: 'k8s/443/web/shop/c1',
            group: groupName(30_080),
            domainExtensions: [{ domain: 'a.com', certificateId: 'cert-2' }],
          },
        ],
      }),
      observed: anObserved({ listeners: [https()] }),
    });
    const found = arrows(picture);
    for (const arrow of [
      'listener 80/http → listener 443/https (redirects)',
      'listener 443/https ⇢ certificate',
      'listener 443/https ⇢ certificate (a.com)',
    ])
      assert.ok(found.includes(arrow), found.join('\n'));
    assert.deepEqual(find(picture, 'certificate cert-1').kind, 'certificate');
  });

  it('omits the redirect that the plan removes', () => {
    const picture = pictured({
      desired: aPresent({ listeners: [{ ...aListener(80), protocol: 'http' }] }),
      observed: anObserved({
        listeners: [
          anObservedListener(80, { protocol: 'http', listenerForward: 'on', forwardPort: 443, groupId: undefined }),
          https(),
        ],
      }),
    });
    assert.deepEqual(
      arrows(picture).filter((arrow) => arrow.startsWith('listener 80/http')),
      ['listener 80/http → server group'],
    );
  });

  it('omits the server group of a listener that becomes a redirect', () => {
    const picture = pictured({
      desired: aPresent({ listeners: [REDIRECT] }),
      observed: anObserved({
        listeners: [anObservedListener(80, { protocol: 'http', groupId: groupId(30_080) }), https()],
      }),
    });
    assert.deepEqual(
      arrows(picture).filter((arrow) => arrow.startsWith('listener 80/http')),
      ['listener 80/http → listener 443/https (redirects)'],
    );
  });

  it('shows a certificate of two listeners once', () => {
    const picture = pictured({
      observed: anObserved({ listeners: [https(), https({ port: 444, description: 'k8s/444/web/shop/c1' })] }),
    });
    assert.equal(nodesOf(picture).filter(({ kind }) => kind === 'certificate').length, 1);
  });

  it('shows the status of a listener that does not run', () => {
    const observed = anObserved({ listeners: [anObservedListener(80, { status: 'stopped' })] });
    assert.deepEqual(find(pictured({ observed }), 'listener 80/tcp').lines, ['listener 80/tcp', 'stopped']);
  });

  it('omits listeners of other Services', () => {
    const observed = anObserved({
      listeners: [
        anObservedListener(80),
        anObservedListener(81, { description: 'k8s/81/other/shop/c1', groupId: groupId(1) }),
      ],
    });
    assert.ok(!nodesOf(pictured({ observed })).some(({ lines }) => lines[0] === 'listener 81/tcp'));
  });

  it('does not lead from a TCP port to a UDP listener of the same number', () => {
    const picture = pictured({
      desired: aPresent({ listeners: [] }),
      observed: anObserved({ listeners: [anObservedListener(80, { protocol: 'udp' })] }),
    });
    assert.ok(!arrows(picture).some((arrow) => arrow.startsWith('port')));
  });
});
