import { z } from 'zod';
import { TUNABLE } from '../../rules/index.ts';
import { celList, date, isSelecting, objectShape, selector, text, validated } from './shape-parts.ts';

const RULES = [...TUNABLE.keys()];
const RULE_OF_POLICY = '^policy/[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
const IMMUTABLE = ['object', 'selector']
  .map((field) => `(!has(self.${field}) || self.${field} == oldSelf.${field})`)
  .join(' && ');

const ExceptionSpec = validated(
  z
    .strictObject({
      rule: validated(
        text(140).describe(
          'The rule that the exception is for: a built-in rule, or policy/<policy>/<constraint or quota>. Denials contain the name.',
        ),
        {
          rule: `self in ${celList(RULES)} || self.matches('${RULE_OF_POLICY}')`,
          message: `must be policy/<policy>/<constraint or quota>, or one of the rules that allow exceptions: ${RULES.join(', ')}`,
          holds: (rule) => TUNABLE.has(rule) || new RegExp(RULE_OF_POLICY).test(rule),
        },
      ),
      object: z
        .strictObject({
          namespace: text(63).optional().describe('The namespace of the Service; absent for a Node.'),
          name: text(253).describe('The name of the Service or the Node.'),
        })
        .optional()
        .describe('The Service or the Node that the exception applies to.'),
      selector: validated(
        z.strictObject({
          namespaceSelector: selector('Selects namespaces by their labels. Required.').optional(),
          serviceSelector: selector(
            'Selects Services in these namespaces by their labels. If absent, all Services.',
          ).optional(),
        }),
        {
          rule: 'has(self.namespaceSelector) && (has(self.namespaceSelector.matchLabels) && self.namespaceSelector.matchLabels.size() > 0 || has(self.namespaceSelector.matchExpressions))',
          message:
            'namespaceSelector must have a label or an expression: users can choose the labels of their Services, but not those of namespaces',
          holds: ({ namespaceSelector }) => isSelecting(namespaceSelector),
        },
      )
        .optional()
        .describe('Selects the Services that the exception applies to.'),
      owner: text(253).describe('The team or the address that is responsible for the exception.'),
      reason: text(1_024).describe('The reason for the exception.'),
      expires: date(
        'The end of the exception. An update can set an earlier date, not a later date. To extend, create a new exception.',
      ),
    })
    .describe('The rule, the objects and the end of the exception.'),
  {
    rule: 'has(self.object) != has(self.selector)',
    message: 'an exception must have exactly one of object and selector',
    holds: ({ object, selector: selected }) => (object === undefined) !== (selected === undefined),
  },
  {
    rule: `self.rule == oldSelf.rule && has(self.object) == has(oldSelf.object) && has(self.selector) == has(oldSelf.selector) && ${IMMUTABLE}`,
    message: 'rule, object and selector are immutable: create another exception',
  },
  {
    rule: 'self.expires <= oldSelf.expires',
    message: 'the date cannot be moved later: create another exception',
  },
);

/** The shape of a LoadBalancerException that the API server accepts. Commands check files with the shape, and the CRD is generated from it. */
export const ExceptionShape = objectShape('LoadBalancerException', ExceptionSpec);
