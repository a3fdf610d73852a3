import assert from 'node:assert/strict';
import { isAbout } from '../../../src/kubernetes/watch-event.ts';

const cases: Readonly<Record<string, readonly [line: string, isRead: boolean]>> = {
  'reads an object that has the word in it': ['{"type":"ADDED","object":{"gate":"example.com/web"}}', true],
  'does not read one that is added without it': ['{"type":"ADDED","object":{}}', false],
  'nor one that is changed': ['{"type":"MODIFIED","object":{}}', false],
  'nor one that is deleted': ['{"type":"DELETED","object":{}}', false],
  'reads a bookmark': ['{"type":"BOOKMARK","object":{}}', true],
  'reads an error': ['{"type":"ERROR","object":{"code":410}}', true],
  'reads what is written in an order that it does not know': ['{"object":{},"type":"ADDED"}', true],
  'reads what is no event': ['<html>', true],
};

describe('a watch of objects that mention something', () => {
  const isWorthReading = isAbout('example.com/');
  for (const [sentence, [line, isRead]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(isWorthReading(Buffer.from(line)), isRead));
  }
});
