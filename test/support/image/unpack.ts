import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Architecture } from './architecture.ts';
import { readArchive, type Entry } from './archive.ts';
import { digestOf, type ContainerConfig, type Descriptor } from './layout.ts';

/** An image of a layout, for one architecture. */
export interface StoredImage {
  readonly platform: Descriptor['platform'];
  readonly architecture: Architecture;
  readonly config: ContainerConfig & { readonly Labels: Readonly<Record<string, string>> };
  /** Sum of its compressed layers, in bytes. */
  readonly size: number;
  readonly layers: readonly Buffer[];
  /** Entries of all layers, in which those of upper layers come later. */
  readonly entries: readonly Entry[];
}

interface Index {
  readonly manifests: readonly Descriptor[];
}
interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface Settings {
  readonly architecture: Architecture;
  readonly config: StoredImage['config'];
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** Returns a blob. Asserts that it has the digest and the size of its descriptor. */
function blobOf(folder: string, { digest, size }: Descriptor): Buffer {
  const blob = readFileSync(join(folder, 'blobs', digest.replace(':', '/')));
  assert.deepEqual([digestOf(blob), blob.length], [digest, size]);
  return blob;
}

const jsonOf = (folder: string, descriptor: Descriptor): unknown => JSON.parse(blobOf(folder, descriptor).toString());

async function imageOf(folder: string, descriptor: Descriptor): Promise<StoredImage> {
  const manifest = jsonOf(folder, descriptor) as Manifest;
  const { architecture, config, rootfs } = jsonOf(folder, manifest.config) as Settings;
  const layers = manifest.layers.map((each) => gunzipSync(blobOf(folder, each)));
  assert.deepEqual(layers.map(digestOf), rootfs.diff_ids);
  const size = manifest.layers.reduce((sum, each) => sum + each.size, 0);
  const entries = (await Promise.all(layers.map(readArchive))).flat();
  return { platform: descriptor.platform, architecture, config, size, layers, entries };
}

/** Reads a layout with one tag. Asserts that each digest and size is right. Tests read the result of `make image` with it. */
export async function readLayout(
  folder: string,
): Promise<{ readonly tag: string | undefined; readonly images: readonly StoredImage[] }> {
  assert.equal(readFileSync(join(folder, 'oci-layout'), 'utf8'), '{"imageLayoutVersion":"1.0.0"}');
  const { manifests } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Index;
  assert.equal(manifests.length, 1);
  const [tagged] = manifests;
  const index = jsonOf(folder, tagged!) as Index;
  const images = await Promise.all(index.manifests.map((each) => imageOf(folder, each)));
  return { tag: tagged?.annotations?.['org.opencontainers.image.ref.name'], images };
}

/** Writes the file system of an image into a folder. */
export function unpack({ entries }: StoredImage, folder: string): void {
  for (const { path, type, mode, content, target } of entries) {
    const place = join(folder, path);
    if (type === 'directory') mkdirSync(place, { recursive: true, mode });
    else if (type === 'symlink') symlinkSync(target ?? '', place);
    else writeFileSync(place, content ?? '', { mode });
  }
}
