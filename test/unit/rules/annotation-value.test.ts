import assert from 'node:assert/strict';
import { annotationValue } from '../../../src/rules/annotation-value.ts';
import { violationsOf, describeViolations } from '../../support/rule-violations.ts';

/** The Alibaba Cloud Controller Manager ignores unreadable values, so users would not notice them. In `finds`, `?` marks a warning. */
describeViolations(annotationValue, {
  'a value out of range': { keys: { 'established-timeout': '5' }, finds: ['established-timeout=5'] },
  'a type other than nlb, which has no effect': { keys: { type: 'clb' }, finds: ['type=clb?'] },
  'full-width characters in an invalid value': {
    keys: { 'protocol-port': 'tcp：80' },
    finds: ['protocol-port=tcp：80'],
  },
  'full-width characters in a value that may be valid': {
    keys: { name: '订单（一）', 'additional-resource-tags': 'team：shop' },
    finds: ['additional-resource-tags=team：shop?', 'name=订单（一）?'],
  },
  'a value out of range without a suitable listener': {
    keys: { 'request-timeout': '999' },
    finds: ['request-timeout=999?'],
  },
  'a value out of range with unmanaged listeners': {
    keys: { id: 'lb-1', 'established-timeout': '5' },
    finds: ['established-timeout=5?'],
  },
});

describe('the message about an invalid value without effect', () => {
  it('states that the value has no effect, and omits the valid values', () => {
    const [violation] = violationsOf(annotationValue, { keys: { 'request-timeout': '999' } });
    assert.equal(violation?.detail, 'has no effect on this Service, and is not a valid value');
    assert.equal(violation.remedy, 'remove the annotation');
  });
});
