import assert from 'node:assert/strict';
import { relocate } from '../../../../src/local/kubelet/mount-paths.ts';

const MOUNTS = [
  { volume: 'etc', mountPath: '/etc/kubernetes' },
  { volume: 'config', mountPath: '/etc/kubernetes/config/' },
  { volume: 'one', mountPath: '/app/one.json', subPath: 'first.json' },
];

/** The processes of the sandbox have no containers, so their arguments must name the real paths of mounts. */
describe('a path under a mount', () => {
  const rows = {
    'is the path in the volume': { text: '/etc/kubernetes/x', real: '/pod/volumes/etc/x' },
    'after an equals sign is replaced': { text: '--file=/etc/kubernetes/x', real: '--file=/pod/volumes/etc/x' },
    'in a list is replaced each time': {
      text: '/etc/kubernetes/a,/etc/kubernetes/b:/etc/kubernetes',
      real: '/pod/volumes/etc/a,/pod/volumes/etc/b:/pod/volumes/etc',
    },
    'belongs to the longest mount': { text: '/etc/kubernetes/config/cloud', real: '/pod/volumes/config/cloud' },
    'of a mount with subPath is the file in the volume': {
      text: '--one=/app/one.json',
      real: '--one=/pod/volumes/one/first.json',
    },
    'must end at a folder boundary': { text: '/etc/kubernetes-other/x', real: '/etc/kubernetes-other/x' },
    'must start at a folder boundary': { text: '/mnt/etc/kubernetes/x', real: '/mnt/etc/kubernetes/x' },
  };
  for (const [title, { text, real }] of Object.entries(rows)) {
    it(title, () => assert.equal(relocate(text, MOUNTS, '/pod'), real));
  }

  it('stays unchanged without mounts', () => assert.equal(relocate('/etc/x', [], '/pod'), '/etc/x'));
});
