import { createHash } from 'node:crypto';
import { normalize, sep } from 'node:path';
import type { LintFinding } from './lint.ts';

/** Returns the path of a file as GitHub and GitLab compare paths: with slashes, and without a leading `./`. */
export const hostPath = (file: string): string => normalize(file).split(sep).join('/');

/** Returns a fingerprint for GitLab and SARIF, without line numbers, so that a code host recognizes a known finding after lines have moved. */
export const fingerprint = ({ file, object, rule, field, value }: LintFinding): string =>
  createHash('sha256')
    .update(JSON.stringify([hostPath(file), object, rule, field, value]))
    .digest('hex')
    .slice(0, 32);

/** Returns the object, the field and the message of a finding on one line, for all reports to code hosts. */
export const findingText = ({ object, field, message }: LintFinding): string =>
  [object, field, message].filter((part) => part !== '').join(': ');
