import type { Zone } from '../worker-definition.ts'

/** Whether a path is a folder or lies in it. `''` contains everything. */
export function containsPath(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** The zones that decide about a path: those with the deepest root that contains it. */
export function decidingZones<Z extends Pick<Zone, 'root'>>(
  zones: readonly Z[],
  path: string,
): readonly Z[] {
  const containing = zones.filter((zone) => containsPath(zone.root, path))
  const deepest = Math.max(...containing.map((zone) => zone.root.length))
  return containing.filter((zone) => zone.root.length === deepest)
}

/** Zones whose roots lie below a folder: listing or searching the folder reads them too. */
export function zonesBelow(zones: readonly Zone[], folder: string): readonly Zone[] {
  return zones.filter((zone) => zone.root !== folder && containsPath(folder, zone.root))
}
