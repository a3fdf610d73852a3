import { reservedName } from '../../../src/rules/reserved-name.ts';
import { describeViolations } from '../../support/rule-violations.ts';

const OWN = 'a5e4dbfc9c2ae4642b0335607860aef6';
const ANOTHERS = 'a6e4dbfc9c2ae4642b0335607860aef6';

/**
 * A user-managed load balancer with a generated name looks like an owned load balancer.
 * In `finds`, `~` marks a violation that is synced anyway.
 */
describeViolations(reservedName, {
  "a user's name": { keys: { name: 'shop-frontend' }, finds: [] },
  'a name that is similar to a generated name': { keys: { name: `${ANOTHERS}-old` }, finds: [] },
  'the generated name of its own load balancer': { keys: { name: OWN }, finds: [] },
  'the generated name of the load balancer of another Service': {
    keys: { name: ANOTHERS },
    finds: [`name=${ANOTHERS}~`],
  },
  'the generated name for a reused load balancer': {
    keys: { id: 'lb-1', name: OWN },
    finds: [`name=${OWN}~`],
  },
  'the generated name in a manifest without UID': {
    keys: { name: OWN },
    metadata: { uid: undefined },
    finds: [`name=${OWN}~`],
  },
});
