import assert from 'node:assert/strict';
import { controllerChange } from '../../../src/rules/controller-change.ts';
import { violationsOf, HAS_ADDRESS, describeViolations } from '../../support/rule-violations.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const WITH_FINALIZER = { finalizers: [FINALIZER] };
const TAKEN_OFF = `metadata.finalizers[${FINALIZER}]=`;

/** Without the finalizer, no cleanup starts, so a load balancer without a Service stays and costs money. In `finds`, `?` marks a warning. */
describeViolations(controllerChange, {
  'another type, for which the controller deletes the load balancer': {
    type: 'ClusterIP',
    metadata: WITH_FINALIZER,
    before: { metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: ['spec.type=ClusterIP?'],
  },
  'another type on a served Service that never had the finalizer': {
    type: 'ClusterIP',
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.type=ClusterIP?'],
  },
  'another type with a removed finalizer': {
    type: 'ClusterIP',
    before: { metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: [TAKEN_OFF],
  },
  'another type with a removed finalizer, on a Service with an id and no published address': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: { keys: { id: 'lb-1' }, metadata: WITH_FINALIZER },
    finds: [TAKEN_OFF],
  },
  'an added class with a removed finalizer': {
    keys: { 'service.beta.kubernetes.io/class': 'nginx' },
    before: { metadata: WITH_FINALIZER },
    finds: [TAKEN_OFF],
  },
  'an added class on a served Service with a removed finalizer': {
    keys: { 'service.beta.kubernetes.io/class': 'nginx' },
    before: { metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: [TAKEN_OFF, 'service.beta.kubernetes.io/class=nginx'],
  },
  'only a removed finalizer': { before: { metadata: WITH_FINALIZER }, ingress: HAS_ADDRESS, finds: [] },
  'a removed finalizer during the cleanup': {
    type: 'ClusterIP',
    before: { type: 'ClusterIP', metadata: WITH_FINALIZER },
    finds: [],
  },
  'another type, for which the controller preserves the load balancer': {
    type: 'NodePort',
    keys: { 'preserve-lb-on-delete': 'true' },
    metadata: WITH_FINALIZER,
    before: { keys: { 'preserve-lb-on-delete': 'true' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: ['spec.type=NodePort?'],
  },
  'another type with a reused load balancer': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    metadata: WITH_FINALIZER,
    before: { keys: { id: 'lb-1' }, metadata: WITH_FINALIZER },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another type without a load balancer': { type: 'ClusterIP', before: {}, finds: [] },
});

it('the rule controller-change warns of a deletion only if the Service has the finalizer', () => {
  const reportsDeletion = (metadata: object): readonly boolean[] =>
    violationsOf(controllerChange, { type: 'ClusterIP', metadata, before: { metadata }, ingress: HAS_ADDRESS }).map(
      ({ detail }) => detail.startsWith('deletes the load balancer'),
    );
  assert.deepEqual([reportsDeletion(WITH_FINALIZER), reportsDeletion({})], [[true], [false]]);
});

it('the rule controller-change names preserve-lb-on-delete if a change removes the finalizer', () => {
  const [{ remedy = '' } = assert.fail()] = violationsOf(controllerChange, {
    type: 'ClusterIP',
    before: { metadata: WITH_FINALIZER },
  });
  assert.match(remedy, /first set \S+-preserve-lb-on-delete to "true"$/);
});
