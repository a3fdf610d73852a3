import { reservedName } from '../../../src/rules/reserved-name.ts';
import { on } from '../../support/found.ts';

const OWN = 'a5e4dbfc9c2ae4642b0335607860aef6';
const ANOTHERS = 'a6e4dbfc9c2ae4642b0335607860aef6';

on(reservedName, {
  'a name of people’s': { keys: { name: 'shop-frontend' }, finds: [] },
  'a name that is only like one': { keys: { name: `${ANOTHERS}-old` }, finds: [] },
  'the name that its own would have anyway': { keys: { name: OWN }, finds: [] },
  'the name that another Service’s own would have': { keys: { name: ANOTHERS }, finds: [`name=${ANOTHERS}~`] },
  'the name that its own would have, for one that it reuses': {
    keys: { id: 'lb-1', name: OWN },
    finds: [`name=${OWN}~`],
  },
  'the same of a manifest without UID': {
    keys: { name: OWN },
    metadata: { uid: undefined },
    finds: [`name=${OWN}~`],
  },
});
