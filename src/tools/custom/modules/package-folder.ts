import { readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { hashBytes, hashJson } from '#domain/json/digest.ts'
import { readRegularFileSync } from '#sandbox/read-regular-file.ts'

/** A package folder's contents: each file's hash by path, and one digest of all. */
export interface PackageFolder {
  readonly digest: string
  readonly files: ReadonlyMap<string, string>
}

/** What may still be read; beyond it, reading ends with a sentence. */
export interface PackageAllowance {
  files: number
  bytes: number
}

/** The bound for all packages of a version. */
export function fullAllowance(): PackageAllowance {
  return { files: 200_000, bytes: 4 * 1024 * 1024 * 1024 }
}

/** The packages are too large. The message is a sentence. */
class PackageLimitError extends Error {
  override readonly name = 'PackageLimitError'
}

/**
 * Hashes everything in a package's folder (security.md 36): code, package.json, data and native
 * addons, whether it is loaded at once or later. A link counts by its target. For a linked package
 * outside of `node_modules`, its own `node_modules`, `.git` and data folder are left out.
 */
export function hashPackageFolder(folder: string, allowance: PackageAllowance): PackageFolder {
  const isLinked = !folder.split(path.sep).includes('node_modules')
  const leftOut = new Set(isLinked ? ['node_modules', '.git', '.countersign'] : [])
  const files = new Map<string, string>()
  const visit = (below: string): void => {
    for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const { name } = entry
      if (leftOut.has(name)) continue
      const at = below === '' ? name : `${below}/${name}`
      if (entry.isDirectory()) {
        visit(at)
        continue
      }
      allowance.files -= 1
      if (entry.isSymbolicLink()) files.set(at, `link:${readlinkSync(path.join(folder, at))}`)
      else {
        const bytes = entry.isFile() ? readRegularFileSync(path.join(folder, at)) : null
        allowance.bytes -= bytes?.length ?? 0
        files.set(at, bytes === null ? 'special' : hashBytes(bytes))
      }
      if (allowance.files >= 0 && allowance.bytes >= 0) continue
      throw new PackageLimitError(
        `The packages that tools load have more than ${fullAllowance().files} files or ${fullAllowance().bytes} bytes.`,
      )
    }
  }
  visit('')
  const sorted = [...files].toSorted(([left], [right]) => (left < right ? -1 : 1))
  return { digest: hashJson(sorted), files }
}
