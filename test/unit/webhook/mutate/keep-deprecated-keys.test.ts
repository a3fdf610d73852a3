import { NEW, OLD, testKeyCases, type KeyCase } from '../../../support/deprecated-key-cases.ts';

const KEEP: Readonly<Record<string, KeyCase>> = {
  'copies the old key of a new Service': { after: { old: '1' }, stored: { [OLD]: '1', [NEW]: '1' } },
  'copies the old key of a stored Service at its next change': {
    before: { old: '1' },
    after: { old: '1' },
    stored: { [OLD]: '1', [NEW]: '1' },
  },
  'copies the old key again if only the current key is removed': {
    before: { old: '1', new: '1' },
    after: { old: '1' },
    stored: { [OLD]: '1', [NEW]: '1' },
  },
  'copies a change of the old key': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '1' },
    stored: { [OLD]: '2', [NEW]: '2' },
  },
  'keeps a change of the current key': {
    before: { old: '1', new: '1' },
    after: { old: '1', new: '2' },
    stored: { [OLD]: '1', [NEW]: '2' },
  },
  'prefers the current key if both change to different values': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '3' },
    stored: { [OLD]: '2', [NEW]: '3' },
    warns: 'contradictions',
  },
  'prefers the current key if both are created with different values': {
    after: { old: '2', new: '3' },
    stored: { [OLD]: '2', [NEW]: '3' },
    warns: 'contradictions',
  },
  'prefers the current key if the old key changes and a manifest declares the current key': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '1', manifest: [OLD, NEW] },
    stored: { [OLD]: '2', [NEW]: '1' },
    warns: 'contradictions',
  },
  'prefers the current key if the old key changes and an apply declares the current key': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '1', applied: [NEW] },
    stored: { [OLD]: '2', [NEW]: '1' },
    warns: 'contradictions',
  },
  'gives no warning if both change to the same value': {
    before: { old: '1', new: '1' },
    after: { old: '2', new: '2' },
    stored: { [OLD]: '2', [NEW]: '2' },
  },
  'removes the copy if the old key is removed from the manifest of kubectl apply': {
    before: { old: '1', new: '1', manifest: [OLD] },
    after: { new: '1', manifest: [] },
    stored: {},
    warns: 'removedCopies',
  },
  'removes the copy if the old key is removed from a server-side apply': {
    before: { old: '1', new: '1', applied: [OLD] },
    after: { new: '1' },
    isApply: true,
    stored: {},
    warns: 'removedCopies',
  },
  'keeps the copy if a writer without a manifest removes the old key': {
    before: { old: '1', new: '1', owned: [OLD] },
    after: { new: '1' },
    stored: { [NEW]: '1' },
    warns: 'keptCopies',
  },
  'keeps the copy if a PUT removes the old key and the last-applied annotation': {
    before: { old: '1', new: '1', manifest: [OLD] },
    after: { new: '1' },
    stored: { [NEW]: '1' },
    warns: 'keptCopies',
  },
  'keeps the copy if the old key is removed and part of managedFields is unreadable': {
    before: { old: '1', new: '1', applied: [OLD] },
    after: { new: '1', isUnreadable: true },
    isApply: true,
    stored: { [NEW]: '1' },
    warns: 'keptCopies',
  },
  'keeps the current key if a manifest renames the old key': {
    before: { old: '1', new: '1', manifest: [OLD] },
    after: { new: '1', manifest: [NEW] },
    stored: { [NEW]: '1' },
  },
  'keeps the current key if a server-side apply renames the old key': {
    before: { old: '1', new: '1', applied: [OLD] },
    after: { new: '1', applied: [NEW] },
    isApply: true,
    stored: { [NEW]: '1' },
  },
  'keeps the current key if the old key is removed and the values were different': {
    before: { old: '1', new: '2', manifest: [OLD] },
    after: { new: '2', manifest: [] },
    stored: { [NEW]: '2' },
  },
  'keeps the current key if it changes in the request that removes the old key': {
    before: { old: '1', new: '1', manifest: [OLD] },
    after: { new: '2', manifest: [] },
    stored: { [NEW]: '2' },
  },
};

/** In this mode, the old key stays for tools that still write it. */
describe('--deprecated-keys=keep', () => testKeyCases('keep', KEEP));
