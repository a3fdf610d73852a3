import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from './architecture.ts';
import { gzip, writeArchive, type Entry } from './archive.ts';

/** A reference to a blob of an OCI image layout. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: Architecture; readonly os: 'linux' };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A compressed layer, with the digest of its archive. */
export interface Layer {
  readonly title: string;
  readonly diffId: string;
  readonly blob: Uint8Array;
}

/** The settings of a container, in the form of OCI. */
export interface ContainerConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
}

export interface Image {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
}

export interface LayoutInput {
  /** The tag. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly config: ContainerConfig;
  readonly images: readonly Image[];
}

const MEDIA_TYPE = 'application/vnd.oci.image';
const CREATED = '1970-01-01T00:00:00Z';

export const digestOf = (blob: Uint8Array): string => `sha256:${createHash('sha256').update(blob).digest('hex')}`;

/** Returns the layer of entries. */
export async function layerOf(title: string, entries: readonly Entry[]): Promise<Layer> {
  const archive = await writeArchive(entries);
  return { title, diffId: digestOf(archive), blob: gzip(archive) };
}

/** Writes an image layout with an index of all architectures. Returns the digest of the index. */
export function writeLayout(folder: string, { version, labels, config, images }: LayoutInput): string {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  const put = (kind: string, blob: Uint8Array): Descriptor => {
    const digest = digestOf(blob);
    writeFileSync(join(folder, 'blobs', digest.replace(':', '/')), blob);
    return { mediaType: `${MEDIA_TYPE}.${kind}`, digest, size: blob.length };
  };
  const putJson = (kind: string, value: object): Descriptor => put(kind, Buffer.from(JSON.stringify(value)));
  const manifestOf = ({ architecture, layers }: Image): Descriptor => {
    const platform = { architecture, os: 'linux' } as const;
    const settings = putJson('config.v1+json', {
      created: CREATED,
      ...platform,
      config: { ...config, Labels: labels },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(({ title }) => ({ created: CREATED, created_by: title })),
    });
    const manifest = putJson('manifest.v1+json', {
      schemaVersion: 2,
      mediaType: `${MEDIA_TYPE}.manifest.v1+json`,
      config: settings,
      layers: layers.map(({ blob }) => put('layer.v1.tar+gzip', blob)),
      annotations: labels,
    });
    return { ...manifest, platform };
  };
  const index = { schemaVersion: 2, mediaType: `${MEDIA_TYPE}.index.v1+json` };
  const all = putJson('index.v1+json', { ...index, manifests: images.map(manifestOf), annotations: labels });
  const tagged = { ...all, annotations: { 'org.opencontainers.image.ref.name': version } };
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ ...index, manifests: [tagged] }));
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  return all.digest;
}
