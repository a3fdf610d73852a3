import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

/** An editor that annotation-clients.ts gives to `kubectl edit`. Sets the annotations of the JSON in `ANNOTATIONS`, and removes those with a null. */
const file = process.argv.at(-1) ?? '';
const object = parse(readFileSync(file, 'utf8')) as { metadata: { annotations?: Record<string, string> } };
const changes = JSON.parse(process.env['ANNOTATIONS'] ?? '{}') as Record<string, string | null>;
const annotations = { ...object.metadata.annotations };
for (const [key, value] of Object.entries(changes)) {
  if (value === null) Reflect.deleteProperty(annotations, key);
  else annotations[key] = value;
}
writeFileSync(file, JSON.stringify({ ...object, metadata: { ...object.metadata, annotations } }));
