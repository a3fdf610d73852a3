import { join } from 'node:path';
import { messageOf } from '../../../src/base/errors.ts';
import { temporaryFolder } from '../folder.ts';
import { currentVersions } from './apt.ts';
import { ARCHITECTURES } from './architecture.ts';
import { DEBIAN_LOCK, debianLock, writeDebianLock, type DebianLock } from './debian-lock.ts';

/** Returns the lock with the same packages in their current versions, from the machine's sources of apt. `make image-lock` stores the result. */
async function updated(lock: DebianLock): Promise<DebianLock> {
  using folder = temporaryFolder();
  const pairs = ARCHITECTURES.map(async (each) => {
    const names = lock[each].map(({ name }) => name);
    return [each, await currentVersions(process.env, each, names, join(folder.path, each))] as const;
  });
  return Object.fromEntries(await Promise.all(pairs)) as DebianLock;
}

try {
  const before = debianLock();
  const after = await updated(before);
  writeDebianLock(after);
  for (const each of ARCHITECTURES)
    for (const { name, version } of after[each]) {
      const old = before[each].find((known) => known.name === name)?.version ?? '';
      if (old !== version) process.stdout.write(`${each}: ${name} ${old} → ${version}\n`);
    }
  process.stdout.write(`written: ${DEBIAN_LOCK}\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
