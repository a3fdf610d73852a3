import { NEW, OLD, testKeyCases, type KeyCase } from '../../../support/deprecated-key-cases.ts';

const REPLACE: Readonly<Record<string, KeyCase>> = {
  'stores the current key instead of the old key': { after: { old: '1' }, stored: { [NEW]: '1' } },
  'prefers the value of the old key over the stored value': {
    before: { new: '1' },
    after: { old: '2', new: '1' },
    stored: { [NEW]: '2' },
  },
  'changes nothing if the same manifest is applied again': {
    before: { new: '1', manifest: [OLD] },
    after: { old: '1', new: '1', manifest: [OLD] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key in effect if both are stored and the request is unrelated': {
    before: { old: '2', new: '1' },
    after: { old: '2', new: '1' },
    stored: { [NEW]: '1' },
    warns: 'contradictions',
  },
  'uses the value of the old key if both are stored and a manifest declares the old key': {
    before: { old: '2', new: '1' },
    after: { old: '2', new: '1', manifest: [OLD] },
    stored: { [NEW]: '2' },
  },
  'prefers the current key if the request changes it': {
    before: { new: '1' },
    after: { old: '2', new: '3' },
    stored: { [NEW]: '3' },
    warns: 'contradictions',
  },
  'prefers the current key if a manifest declares it': {
    before: { new: '1' },
    after: { old: '2', new: '1', manifest: [NEW] },
    stored: { [NEW]: '1' },
    warns: 'contradictions',
  },
  'prefers the current key if an apply declares it': {
    before: { new: '1' },
    after: { old: '2', new: '1', applied: [NEW] },
    stored: { [NEW]: '1' },
    warns: 'contradictions',
  },
  'gives no warning if both have the same value': { after: { old: '1', new: '1' }, stored: { [NEW]: '1' } },
  'removes the current key if the old key is removed from the manifest': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '1', manifest: [] },
    stored: {},
    warns: 'removedCopies',
  },
  'removes the current key that a client owns if the old key is removed from the manifest': {
    before: { new: '1', manifest: [OLD], owned: [NEW] },
    after: { new: '1', manifest: [], owned: [NEW] },
    stored: {},
    warns: 'removedCopies',
  },
  'removes the current key if the old key is removed from a server-side apply': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1' },
    isApply: true,
    stored: {},
    warns: 'removedCopies',
  },
  'removes the current key if a server-side apply omits the old key that an Update still owns': {
    before: { new: '1', applied: [OLD], owned: [OLD] },
    after: { new: '1', owned: [OLD] },
    isApply: true,
    stored: {},
    warns: 'removedCopies',
  },
  'keeps the current key while another manager applies the old key': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1', applied: [OLD] },
    isApply: true,
    stored: { [NEW]: '1' },
  },
  'keeps the current key while another manifest declares the old key': {
    before: { new: '1', manifest: [OLD], applied: [OLD] },
    after: { new: '1', manifest: [], applied: [OLD] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key if the manifest renames the old key': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '1', manifest: [NEW] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key that a client owns if a server-side apply removes the old key': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1', owned: [NEW] },
    isApply: true,
    stored: { [NEW]: '1' },
  },
  'keeps the current key if the last-applied annotation is removed': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '1' },
    stored: { [NEW]: '1' },
  },
  'keeps the current key if managedFields is reset': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1' },
    stored: { [NEW]: '1' },
  },
  'keeps the current key if part of managedFields is unreadable': {
    before: { new: '1', applied: [OLD] },
    after: { new: '1', isUnreadable: true },
    isApply: true,
    stored: { [NEW]: '1' },
  },
  'keeps the current key if it changes in the request that removes the old key': {
    before: { new: '1', manifest: [OLD] },
    after: { new: '2', manifest: [] },
    stored: { [NEW]: '2' },
  },
  'keeps the current key if the old key was never declared': {
    before: { new: '1' },
    after: { new: '1' },
    stored: { [NEW]: '1' },
  },
};

/** In this mode, only the current key is stored. */
describe('--deprecated-keys=replace', () => testKeyCases('replace', REPLACE));
