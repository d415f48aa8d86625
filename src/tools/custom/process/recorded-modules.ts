import path from 'node:path'
import { hashBytes } from '#domain/json/digest.ts'
import { valueIn } from '#domain/json/value-in.ts'
import { hashPackageFolder, fullAllowance, type PackageFolder } from '../modules/package-folder.ts'
import { packageScopeOf } from '../modules/package-scope.ts'
import { readRegularFileSync } from '#sandbox/read-regular-file.ts'
import { projectPath } from '../modules/record-modules.ts'

/** A version's record of the modules of its tools. */
export interface ModuleRecord {
  /** real path */
  readonly projectDir: string
  /**
   * `sha256:…` of every file below tools/ and of package.json, and of each package's folder, whose
   * path ends with `/`
   */
  readonly hashes: Readonly<Record<string, string>>
}

/** A module differs from the one that the policy version recorded. */
export class ToolFileChanged extends Error {
  override readonly name = 'ToolFileChanged'
  readonly file: string
  /** Node's code for it: code that does not need a package continues without it */
  readonly code: string | undefined
  constructor(file: string, message: string, code?: string) {
    super(message)
    this.file = file
    this.code = code
  }
}

/** Returns the bytes of recorded modules. Each package is read once, when it is first used. */
export class RecordedModules {
  readonly #recorded: ModuleRecord
  readonly #packages = new Map<string, PackageFolder>()
  readonly #allowance = fullAllowance()

  constructor(recorded: ModuleRecord) {
    this.#recorded = recorded
  }

  /** Throws if tool files would resolve names by another package.json than recorded. */
  checkScope(): void {
    const { projectDir, hashes } = this.#recorded
    const scope = packageScopeOf(projectDir)
    const file = scope === null ? null : projectPath(projectDir, scope.file)
    const recorded = Object.keys(hashes).find((at) => /^(\.\.\/)*package\.json$/.test(at))
    if (file === null ? recorded === undefined : hashes[file] === scope?.hash) return
    const label = file ?? recorded ?? 'package.json'
    throw new ToolFileChanged(label, changedSentence(label))
  }

  /** A file's bytes, read once, if they are the recorded ones. Throws `ToolFileChanged`. */
  bytesOf(file: string): Buffer {
    const { projectDir } = this.#recorded
    const at = projectPath(projectDir, file)
    const expected = this.#hashOf(at)
    if (expected === undefined) {
      throw new ToolFileChanged(
        at,
        `${at} is not part of the policy version: what tools import lies below tools/, in regular files, or in a package that a tool file names in quotes, or that such a package depends on. After installing a package, activate the project again`,
        'MODULE_NOT_FOUND',
      )
    }
    const bytes = readRegularFileSync(file)
    if (bytes === null || hashBytes(bytes) !== expected) {
      throw new ToolFileChanged(at, changedSentence(at))
    }
    return bytes
  }

  /** The absolute folder of a file's recorded package, without a check; `null`: none. */
  packageOf(file: string): string | null {
    const folder = this.#folderOf(projectPath(this.#recorded.projectDir, file))
    return folder === null ? null : path.join(this.#recorded.projectDir, folder)
  }

  #hashOf(at: string): string | undefined {
    const { hashes } = this.#recorded
    const folder = this.#folderOf(at)
    if (folder !== null) return this.#files(folder, at).get(at.slice(folder.length))
    return at.endsWith('/') ? undefined : valueIn(hashes, at)
  }

  /** The innermost recorded folder that a path lies in. */
  #folderOf(at: string): string | null {
    const { hashes } = this.#recorded
    for (let end = at.lastIndexOf('/'); end > 0; end = at.lastIndexOf('/', end - 1)) {
      const folder = at.slice(0, end + 1)
      if (Object.hasOwn(hashes, folder)) return folder
    }
    return null
  }

  #files(folder: string, digest: string): ReadonlyMap<string, string> {
    const scope = this.#packages.get(folder)
    if (scope !== undefined) return scope.files
    const { projectDir, hashes } = this.#recorded
    const hashed = hashPackageFolder(path.join(projectDir, folder), this.#allowance)
    if (hashed.digest !== hashes[folder]) {
      throw new ToolFileChanged(digest, `${digest} is not loaded: ${changedSentence(folder)}`)
    }
    this.#packages.set(folder, hashed)
    return hashed.files
  }
}

/** The sentence of a refusal: a file is not the version's (architecture.md, execution). */
function changedSentence(file: string): string {
  return `${file} on this host is not the one of the policy version in force. If it should be, activate the project again`
}
