import { componentOf, lockfile, sbomOf, type Component, type Sbom } from '../sbom.ts';
import { ARCHITECTURES, NODE_PACKAGES, type Architecture } from './architecture.ts';
import { debianLock, type DebianPackage } from './debian-lock.ts';

function debianComponent(architecture: Architecture, { name, version, sha256 }: DebianPackage): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes: [{ alg: 'SHA-256', content: sha256 }] };
}

/** Returns the packages that `make image` puts into the image: those of the program, and for each architecture Node.js and packages of Debian. */
export function imageSbom(): Sbom {
  const { name, packages } = lockfile();
  const debian = debianLock();
  const base = ARCHITECTURES.flatMap((architecture) => {
    const node = NODE_PACKAGES[architecture];
    return [
      componentOf('library', node, packages[`node_modules/${node}`]!),
      ...debian[architecture].map((each) => debianComponent(architecture, each)),
    ];
  });
  const program = sbomOf(name, packages);
  return {
    ...program,
    components: [...program.components, ...base],
    dependencies: [...program.dependencies, ...base.map((each) => ({ ref: each['bom-ref'], dependsOn: [] }))],
  };
}
