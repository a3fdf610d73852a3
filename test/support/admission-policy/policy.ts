import { stringify } from 'yaml';
import type { Variable } from './cel.ts';

export interface Resources {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
}

/** A condition, and the message of its violation: a constant line or an expression. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
}

/** A ValidatingAdmissionPolicy of this project, without the parts that all policies share. */
export interface Policy {
  readonly name: string;
  /** One sentence for the head of the file. */
  readonly description: string;
  readonly resources: readonly Resources[];
  /** The source of the parameters. If the ConfigMap does not exist, the policy denies nothing. */
  readonly parameters?: { readonly kind: 'ConfigMap'; readonly name: string; readonly namespace: string };
  readonly conditions: readonly Variable[];
  readonly variables: readonly Variable[];
  readonly validations: readonly Validation[];
}

const API_VERSION = 'admissionregistration.k8s.io/v1';
const WIDTH = 120;

const metadataOf = (name: string) => ({
  name,
  labels: { 'app.kubernetes.io/name': 'portcullis', 'app.kubernetes.io/component': 'admission-policy' },
});

const written = (description: string, object: object): string =>
  `# Generated from the rules and the catalogue. ${description}\n${stringify(object, { lineWidth: WIDTH })}`;

/** Returns the policy as a file. `make generate` writes the files of policies and bindings. */
export const policyFile = (policy: Policy): string =>
  written(policy.description, {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: metadataOf(policy.name),
    spec: {
      failurePolicy: 'Fail',
      ...(policy.parameters === undefined ? {} : { paramKind: { apiVersion: 'v1', kind: policy.parameters.kind } }),
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: policy.resources.map(({ groups, resources, operations }) => ({
          apiGroups: groups,
          apiVersions: ['*'],
          resources,
          operations,
          scope: '*',
        })),
      },
      matchConditions: policy.conditions,
      ...(policy.variables.length === 0 ? {} : { variables: policy.variables }),
      validations: policy.validations.map((validation) => ({ ...validation, reason: 'Forbidden' })),
    },
  });

/** Returns the binding as a file, which makes the API server deny violations of the policy. */
export const bindingFile = ({ name, parameters }: Policy): string =>
  written('Binds the policy of the same name.', {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: metadataOf(name),
    spec: {
      policyName: name,
      ...(parameters === undefined
        ? {}
        : {
            paramRef: {
              name: parameters.name,
              namespace: parameters.namespace,
              parameterNotFoundAction: 'Allow',
            },
          }),
      validationActions: ['Deny'],
    },
  });
