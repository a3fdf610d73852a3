import { allowedBy, choice } from '../annotation/allowed-values.ts';
import { ANNOTATION_BYTES } from '../annotation/cached-annotation-truncation.ts';
import { FAMILIES } from '../annotation/catalogue.ts';
import { GROUP } from '../annotation/keys.ts';
import { LONGEST_VALUE } from '../annotation/value-readers.ts';
import { MARK_KINDS } from '../annotation/well-known-names.ts';
import type { FactWords } from './annotation-facts.ts';
import type { AnnotationsPageWords, Language, RulesPageWords } from './language-texts.ts';
import type { RuleWords } from './rules.ts';

const FACTS: FactWords = {
  headings: {
    values: 'Values',
    default: 'Default',
    scope: 'Applies to',
    change: 'Can be changed',
    reused: 'On a reused load balancer',
    requires: 'Requires',
    conflicts: 'Conflicts with',
    since: 'Since',
  },
  separator: '; ',
  choice,
  allowed: allowedBy,
  anyCase: ', in upper or lower case',
  known: (values) => `known: ${values.join(', ')}`,
  onlyOn: (value, protocols) => `${value} only on ${choice(protocols)}`,
  older: (values) => `${values.join(', ')} only on older load balancers`,
  units: { seconds: ' s', 'Mbit/s': ' Mbit/s', probes: '' },
  cloudDefault: (value, others) =>
    `the default of the cloud is ${[value, ...others.map(([protocol, other]) => `on ${protocol} listeners ${other}`)].join(', ')}`,
  bothDefaults: (ours, cloud) => `${ours} (${cloud})`,
  noValue: 'no value is requested',
  scopes: {
    selection: 'the assignment of the Service to a controller',
    'load-balancer': 'the load balancer',
    status: 'the status of the Service',
    listener: 'listeners of every protocol',
    'server-group': 'virtual server groups',
    backend: 'backends',
  },
  listeners: (protocols) => `${protocols.join(', ')} listeners`,
  changes: {
    'create-only': 'no: only at the creation of the load balancer; a later change is denied',
    'create-only-unchecked': 'no: only at the creation of the load balancer; a later change has no effect',
    updatable: 'yes, in place',
    'updatable-if': 'yes, in place',
    recreates: 'yes, with an interruption',
    fixed: 'no',
  },
  because: (text, reason) => `${text}: ${reason}`,
  onReused: {
    applied: 'applied, as on an owned load balancer',
    'must-match': 'must equal the value of the load balancer',
    'if-overriding': 'applied only with force-override-listeners: "true"',
    ignored: 'no effect',
    only: 'only for a reused load balancer; no effect on an owned load balancer',
  },
  relation: ({ name, values, when, listeners, outcome }) =>
    [
      when === undefined ? '' : `when ${when}: `,
      name,
      values === undefined ? '' : `: ${values}`,
      listeners === undefined ? '' : `, on ${listeners} listeners`,
      ` (${outcome})`,
    ].join(''),
  otherwise: {
    denied: 'otherwise denied',
    'no-effect': 'otherwise no effect',
    chosen: 'otherwise selected automatically',
  },
  collision: { denied: 'denied', 'no-effect': 'no effect', chosen: 'selected automatically' },
  since: (release) => `${release} of the Alibaba Cloud Controller Manager`,
};

const ANNOTATIONS_INTRODUCTION = `<!-- Generated from src/annotation by \`make generate\`. Change the catalogue, not this page. -->

# Annotations, labels, taints, tags

This page is for authors of Services. It contains all annotations of a Service of \`type: LoadBalancer\`, and the
[labels, taints, tags and other names](#labels-taints-tags-and-other-names) that Portcullis reads or writes. \`portcullis explain KEY\` prints a section of this page.

How annotations are read:

- Keys begin with \`${GROUP}alibaba-cloud-loadbalancer-\`, unless a section shows another key.
- A deprecated form of a key has the effect of the current key. The webhook warns, and stores the current key instead of the deprecated form or in addition to it: see [Rename a deprecated key](../tasks/troubleshoot.md#rename-a-deprecated-key). Deprecated forms have no effect if the current key is set, even to an empty value.
- An empty value has the same effect as no annotation.
- Values are text. Numbers, \`true\` and \`on\` need quotation marks in YAML. Values are case-sensitive, unless a section states otherwise.
- A value has at most ${LONGEST_VALUE} characters. A denial of a full-width character (\`：，１\`) shows the correct character.
- The annotations of a Service that Portcullis reads can have at most ${ANNOTATION_BYTES} bytes in total. The webhook denies a Service above the limit, and the controller does not sync the Service. An annotation counts as 32 bytes, plus one byte for each character of its value. In a value with a character beyond Latin-1, each character counts as two bytes.
- An unknown key with the prefix of current or deprecated keys has no effect. The webhook denies the key, and suggests the most similar key.
- A key of this page in another spelling (\`Backend_Type\`, \`alibabaCloudLoadBalancer…\`, another domain before the slash) has no effect. A warning shows the correct key.
- If an annotation in effect is removed, its attribute returns to the value of a new load balancer. See the exceptions in [A removed annotation keeps its effect](../tasks/troubleshoot.md#a-removed-annotation-keeps-its-effect).`;

const OBSOLETE = `## Keys without effect

- \`loadbalancer-region\`, which the Alibaba Cloud Controller Manager read until v2.0.
- Keys that only the controller of network load balancers reads. Portcullis warns about such a key on a Service with a classic load balancer, and ignores the key on a Service of that controller.
- \`private-zone-\` keys, which belong to another controller.`;

const RULES_INTRODUCTION = `<!-- Generated from src/rules by \`make generate\`. Change the rules, not this page. -->

# Rules

The webhook evaluates these rules at \`kubectl apply\`, and the controller evaluates them again before it changes the cloud.
\`portcullis lint\` evaluates them without a cluster. \`portcullis explain RULE\` prints a section of this page. \`portcullis rules\` lists the rules.

How rules are applied:

- All rules are evaluated, and the response contains all violations. A violation states the field, its value, what must hold, and the remedy.
- Only new violations are denied. A violation that the stored object also has only gets a warning. A violation of a value that had no effect before
  the change counts as new.
- An update that changes neither the spec nor annotations only gets warnings, unless the update adds the finalizer of the controller. Deletion is
  never denied.
- The registration of a Node, and a change of a Node by its kubelet or by the control plane, are never denied: these clients show no denial to a user.
- Advice only warns, whatever a policy sets: the object works, but perhaps not as its author expects.
- Some violations deny only the request, such as a list entry for a port that the Service does not have. The controller still syncs a stored Service with such a violation.
- If the inventory is too old, a load balancer that is not found gets a warning. A load balancer that is known to be protected is still denied.
- An example shows a part of a manifest. The other fields are those of any valid Service or Node.`;

const ANNOTATIONS_PAGE: AnnotationsPageWords = {
  introduction: ANNOTATIONS_INTRODUCTION,
  count: (annotations) => `${annotations} annotations: `,
  otherNames: 'Other names',
  deprecatedForms: 'Deprecated forms',
  families: Object.fromEntries(FAMILIES.map(({ title, doc }) => [title, { title, doc }])),
  obsolete: OBSOLETE,
  marks: {
    title: 'Labels, taints, tags and other names',
    doc: 'Do not change the names that the controller writes. The controller uses them to find the resources of a Service.',
  },
  columns: ['name', 'value', 'written by', 'meaning'],
  deprecatedMark: (replacement) => ` Deprecated: use ${replacement}.`,
};

const RULES: RuleWords = {
  headings: {
    tier: 'Tier',
    objects: 'Applies to',
    tunable: 'Tunable',
    requires: 'Requires',
    metric: 'Metric',
    since: 'Since',
    before: 'Stored before',
    wrong: 'Wrong',
    right: 'Right',
  },
  tiers: {
    safety: 'safety: protects other Services, clusters and tenants; not tunable, no exceptions',
    hygiene: 'hygiene: prevents mistakes in the object',
    lint: 'lint: only portcullis lint performs the check',
  },
  objects: { Service: 'Services', Node: 'Nodes', any: 'manifests' },
  tunable: {
    lint: 'no: never evaluated in a cluster',
    yes: 'yes: a policy can set its mode',
    warnsOnly: 'no: only warns',
    no: 'no',
  },
  inventory: 'the inventory; portcullis lint evaluates the rule only with --facts',
  wrongIf: (state) => `Wrong, if ${state}`,
};

const RULES_PAGE: RulesPageWords = {
  introduction: RULES_INTRODUCTION,
  count: (rules) => `${rules} rules: `,
  groups: {
    safety: 'Safety rules',
    services: 'Rules for Services',
    nodes: 'Rules for Nodes',
    lint: 'Additional checks of lint',
  },
  fullStop: '.',
  colon: ':',
};

/** The English texts of `portcullis explain`, `portcullis rules` and the reference pages. */
export const ENGLISH: Language = {
  facts: FACTS,
  annotationsPage: ANNOTATIONS_PAGE,
  rules: RULES,
  rulesPage: RULES_PAGE,
  marks: {
    kinds: MARK_KINDS,
    writers: { controller: 'controller', user: 'user', cluster: 'cluster', cloud: 'cloud' },
    headings: { kind: 'Kind', values: 'Values', writer: 'Written by', since: 'Since', deprecated: 'Deprecated' },
    since: (release) => `${release}, in the Alibaba Cloud Controller Manager`,
    use: (replacement) => `use ${replacement}`,
  },
  text: { family: 'Family', option: 'Option', example: 'Example', rules: 'Rules' },
  rulesTable: ['NAME', 'TIER', 'KIND', 'DESCRIPTION'],
  // The sources are in English.
  translate: (topic) => topic,
};
