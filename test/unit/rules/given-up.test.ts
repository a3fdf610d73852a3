import assert from 'node:assert/strict';
import { controllerChange } from '../../../src/rules/controller-change.ts';
import { violationsOf, HAS_ADDRESS, on } from '../../support/found.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const HELD = { finalizers: [FINALIZER] };
const TAKEN_OFF = `metadata.finalizers[${FINALIZER}]=`;

on(controllerChange, {
  'another type, with which the load balancer goes': {
    type: 'ClusterIP',
    metadata: HELD,
    before: { metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: ['spec.type=ClusterIP?'],
  },
  'another type where nothing says any more that anything is to be cleaned up': {
    type: 'ClusterIP',
    before: {},
    ingress: HAS_ADDRESS,
    finds: ['spec.type=ClusterIP?'],
  },
  'another type, and the finalizer taken off with it': {
    type: 'ClusterIP',
    before: { metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [TAKEN_OFF],
  },
  'another type, and the finalizer taken off with it, where the load balancer is reused or not there yet': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    before: { keys: { id: 'lb-1' }, metadata: HELD },
    finds: [TAKEN_OFF],
  },
  'a class given, and the finalizer taken off with it': {
    keys: { 'service.beta.kubernetes.io/class': 'nginx' },
    before: { metadata: HELD },
    finds: [TAKEN_OFF],
  },
  'a class given to one that is served, and the finalizer taken off with it': {
    keys: { 'service.beta.kubernetes.io/class': 'nginx' },
    before: { metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [TAKEN_OFF, 'service.beta.kubernetes.io/class=nginx'],
  },
  'the finalizer taken off, and nothing else': { before: { metadata: HELD }, ingress: HAS_ADDRESS, finds: [] },
  'the finalizer taken off once the load balancer is being given up': {
    type: 'ClusterIP',
    before: { type: 'ClusterIP', metadata: HELD },
    finds: [],
  },
  'another type, with which the load balancer stays behind': {
    type: 'NodePort',
    keys: { 'preserve-lb-on-delete': 'true' },
    metadata: HELD,
    before: { keys: { 'preserve-lb-on-delete': 'true' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: ['spec.type=NodePort?'],
  },
  'another type where the load balancer is reused': {
    type: 'ClusterIP',
    keys: { id: 'lb-1' },
    metadata: HELD,
    before: { keys: { id: 'lb-1' }, metadata: HELD },
    ingress: HAS_ADDRESS,
    finds: [],
  },
  'another type where there is no load balancer yet': { type: 'ClusterIP', before: {}, finds: [] },
});

it('the rule controller-change says that the load balancer goes only where the finalizer says so', () => {
  const saysSo = (metadata: object): readonly boolean[] =>
    violationsOf(controllerChange, { type: 'ClusterIP', metadata, before: { metadata }, ingress: HAS_ADDRESS }).map(
      ({ detail }) => detail.startsWith('deletes the load balancer'),
    );
  assert.deepEqual([saysSo(HELD), saysSo({})], [[true], [false]]);
});

it('the rule controller-change says to who takes the finalizer off with the type how the load balancer can stay', () => {
  const [{ remedy = '' } = assert.fail()] = violationsOf(controllerChange, {
    type: 'ClusterIP',
    before: { metadata: HELD },
  });
  assert.match(remedy, /first set \S+-preserve-lb-on-delete to "true"$/);
});
