import { stringify } from 'yaml';
import { object, valid, type Schema } from './policy-schema.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

export interface Kind {
  readonly says: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly spec: Schema;
  readonly status: Schema;
}

const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
export const ready = (name: string): Column => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=='${name}')].status`,
});

/** Returns a CustomResourceDefinition of the project as YAML. */
export function definition({ says, kind, plural, shortName, description, columns, spec, status }: Kind): string {
  const schema = object(
    {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status,
    },
    {
      description,
      required: ['spec'],
      'x-kubernetes-validations': [
        valid('self.metadata.name.size() <= 63', 'the name has more than 63 characters: denials quote it, shorten it'),
      ],
    },
  );
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.portcullis.io`, labels: { 'app.kubernetes.io/name': 'portcullis' } },
    spec: {
      group: 'portcullis.io',
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames: [shortName] },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [...columns, AGE],
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
  return `# ${says}\n# Made by make generate from test/support/policy-crds.ts: annotations and rules are those of the sources.\n${stringify(crd, OPTIONS)}`;
}

const OPTIONS = { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false } as const;
