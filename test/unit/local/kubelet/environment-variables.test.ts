import assert from 'node:assert/strict';
import { expand, resolveEnvironment } from '../../../../src/local/kubelet/environment-variables.ts';
import { aContainer } from '../../../support/deployment.ts';

const SOURCE = {
  secret: (name: string, key: string) => (name === 'key' && key === 'id' ? 'LTAI' : undefined),
  configMap: (name: string, key: string) => (name === 'settings' && key === 'level' ? 'debug' : undefined),
};

/** The processes of the sandbox must get the variables that a real kubelet would set. */
describe('the environment of a container', () => {
  it('comes from values, Secrets, ConfigMaps and fields', () => {
    const env = [
      { name: 'PLAIN', value: 'x' },
      { name: 'ID', valueFrom: { secretKeyRef: { name: 'key', key: 'id' } } },
      { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
      { name: 'NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'BOTH', value: '$(PLAIN)-$(LEVEL)-$(LATER)' },
      { name: 'LATER', value: 'y' },
    ];
    assert.deepEqual(resolveEnvironment(aContainer({ env }), SOURCE), {
      PLAIN: 'x',
      ID: 'LTAI',
      LEVEL: 'debug',
      NAMESPACE: 'portcullis-system',
      BOTH: 'x-debug-$(LATER)',
      LATER: 'y',
    });
  });

  it('omits missing optional values', () => {
    const env = [{ name: 'SECRET', valueFrom: { secretKeyRef: { name: 'key', key: 'secret', optional: true } } }];
    assert.deepEqual(resolveEnvironment(aContainer({ env }), SOURCE), {});
  });

  it('causes an error with the object and key of a missing value', () => {
    const env = [{ name: 'SECRET', valueFrom: { secretKeyRef: { name: 'key', key: 'secret' } } }];
    assert.throws(() => resolveEnvironment(aContainer({ env }), SOURCE), /Secret key with key secret does not exist/);
  });

  it('rejects a source that the sandbox does not support', () => {
    const env = [{ name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }];
    assert.throws(
      () => resolveEnvironment(aContainer({ env }), SOURCE),
      /variable CPU has a source that the sandbox does not support: use/,
    );
  });
});

describe('references to variables', () => {
  const rows = {
    'are replaced if the variable is known': { text: 'a$(X)b$(X)', expanded: 'a1b1' },
    'stay if the variable is unknown': { text: '$(UNKNOWN)', expanded: '$(UNKNOWN)' },
    'are escaped by a second dollar sign': { text: '$$(X)', expanded: '$(X)' },
    'need parentheses': { text: '$X ${X}', expanded: '$X ${X}' },
  };
  for (const [title, { text, expanded }] of Object.entries(rows)) {
    it(title, () => assert.equal(expand(text, { X: '1' }), expanded));
  }
});
