import { hasReason, messageOf } from '../../src/base/errors.ts';
import { answered } from './eventually.ts';
import type { TestControlPlane } from './control-plane.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';

const conditionFor = (configMap: string): object => ({
  name: 'asked-for',
  expression: `has(object.metadata.name) && object.metadata.name == '${configMap}'`,
});
const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** Returns a hook without a server, for one ConfigMap. Once the API server calls the hook, all earlier hooks of the configuration are active. */
export const canaryHook = (name: string, configMap: string): object => ({
  name,
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [RULE],
  matchConditions: [conditionFor(configMap)],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 1,
});

/** Returns the spec of an admission policy that denies one ConfigMap, with this message. */
export const canaryPolicy = (message: string, configMap: string): object => ({
  failurePolicy: 'Fail',
  matchConstraints: { resourceRules: [RULE] },
  matchConditions: [conditionFor(configMap)],
  validations: [{ expression: 'false', message }],
});

/** Waits until the API server rejects the ConfigMap with this text. */
export async function untilRejected({ client }: TestControlPlane, configMap: string, text: string): Promise<void> {
  const isRejected = async (): Promise<boolean> => {
    try {
      await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMap } });
      return false;
    } catch (error) {
      if (!hasReason(error, 'Rejected')) throw error;
      return messageOf(error).includes(text);
    }
  };
  await answered(async () => (await isRejected()) || undefined, `${text} is in force`);
}
