import assert from 'node:assert/strict';
import { mustParse } from '../../../src/kubernetes/watch-event.ts';

const cases: Readonly<Record<string, readonly [line: string, isRead: boolean]>> = {
  'reads an object that contains the word': ['{"type":"ADDED","object":{"gate":"example.com/web"}}', true],
  'skips an added object without the word': ['{"type":"ADDED","object":{}}', false],
  'skips a changed object without the word': ['{"type":"MODIFIED","object":{}}', false],
  'skips a deleted object without the word': ['{"type":"DELETED","object":{}}', false],
  'reads a bookmark': ['{"type":"BOOKMARK","object":{}}', true],
  'reads an error': ['{"type":"ERROR","object":{"code":410}}', true],
  'reads an event with an unknown order of fields': ['{"object":{},"type":"ADDED"}', true],
  'reads an invalid event': ['<html>', true],
};

/** A process needs few of the objects that some watches return, so it skips lines without the word before it parses them. */
describe('a watch of objects that contain a word', () => {
  const isWorthReading = mustParse('example.com/');
  for (const [title, [line, isRead]] of Object.entries(cases)) {
    it(title, () => assert.equal(isWorthReading(Buffer.from(line)), isRead));
  }
});
