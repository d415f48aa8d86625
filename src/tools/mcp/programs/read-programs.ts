import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { hashBytes } from '#domain/json/digest.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import type { ServerPrograms } from '#policy/worker/server-programs.ts'
import { hashPackageFolder, fullAllowance } from '../../custom/modules/package-folder.ts'
import { packageScopeOf } from '../../custom/modules/package-scope.ts'
import { projectPath } from '../../custom/modules/record-modules.ts'
import {
  possiblePackages,
  packagesBehind,
  type PackageName,
} from '../../custom/modules/reachable-packages.ts'
import { isScriptCode, moduleCandidates } from './module-names.ts'

/** A file of a server's program, or a package's folder (its path ends with `/`). */
export interface ProgramFile {
  /** relative to the root */
  readonly path: string
  readonly hash: string
  /** absolute path of the copy that has this hash; `null`: none was requested, or it is a folder */
  readonly copy: string | null
}

const maxFiles = 2000
const maxFileBytes = 64 * 1024 * 1024
const pythonCode = /\.(?:py|pyc|so|pyd)$/

/**
 * The files below `root` that belong to the programs of servers (security.md 36): the files that
 * their words name, the files that these load by names written in them, and all files of the
 * packages that they load. Files elsewhere belong to the host. `copies`: a folder for a copy of
 * each file, made of the bytes that were hashed. It reads many files synchronously. Throws a
 * sentence when they are too many.
 */
export function readPrograms(
  root: string,
  servers: readonly ServerPrograms[],
  copies: string | null,
): readonly ProgramFile[] {
  const files = new Map<string, ProgramFile>()
  const starts: PackageName[] = []
  const waiting = servers.flatMap((server) => {
    starts.push(...server.packages.map((name) => ({ name, from: root })))
    return server.files.map((file) => path.resolve(root, file))
  })
  const take = (named: string, isNamed: boolean): void => {
    const real = realFile(named)
    if (real === null || !containsPath(root, real)) return
    const at = projectPath(root, real)
    if (files.has(at)) return
    const owner = packageOf(real)
    if (owner !== null) {
      starts.push(owner)
      return
    }
    if (files.size >= maxFiles) throw new Error(`they are more than ${maxFiles} files`)
    const copy = copies === null ? null : path.join(copies, String(files.size))
    const { bytes, hash } = readOnce(real, copy)
    files.set(at, { path: at, hash, copy })
    const text = bytes.toString('utf8')
    waiting.push(...moduleCandidates(real, text))
    if (isScriptCode(real)) {
      starts.push(
        ...[...possiblePackages(text)].map((name) => ({ name, from: path.dirname(real) })),
      )
      addScope(path.dirname(real))
    }
    // Python searches its own modules in the folder of its script first.
    if (isNamed && real.endsWith('.py')) waiting.push(...pythonFolder(path.dirname(real)))
  }
  const addScope = (folder: string): void => {
    const scope = packageScopeOf(folder)
    if (scope === null || !containsPath(root, scope.file)) return
    const at = projectPath(root, scope.file)
    files.set(at, { path: at, hash: scope.hash, copy: null })
  }
  const named = waiting.splice(0)
  for (const file of named) take(file, true)
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) take(file, false)
  const allowance = fullAllowance()
  const packages = packagesBehind(starts)
    .filter((folder) => containsPath(root, folder))
    .map((folder) => ({
      path: `${projectPath(root, folder)}/`,
      hash: hashPackageFolder(folder, allowance).digest,
      copy: null,
    }))
  return [...files.values(), ...packages].toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

function realFile(at: string): string | null {
  try {
    const real = realpathSync(at)
    return statSync(real).isFile() ? real : null
  } catch {
    return null
  }
}

/** The package of a file in `node_modules`. */
function packageOf(real: string): PackageName | null {
  const [, from = '', name = ''] = /^(.*)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(real) ?? []
  return name === '' ? null : { name, from }
}

/** Opens a file once, so that the hashed bytes are the copied ones. */
function readOnce(
  real: string,
  copy: string | null,
): { readonly bytes: Buffer; readonly hash: string } {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const { size, mode } = fstatSync(file)
    if (size > maxFileBytes) throw new Error(`${real} has more than ${maxFileBytes} bytes`)
    const bytes = readFileSync(file)
    if (copy !== null) keepCopy(copy, bytes, mode)
    return { bytes, hash: hashBytes(bytes) }
  } finally {
    closeSync(file)
  }
}

function keepCopy(copy: string, bytes: Buffer, mode: number): void {
  const file = openSync(copy, 'wx', 0o600)
  try {
    writeFileSync(file, bytes)
    fchmodSync(file, (mode & 0o555) | 0o400)
  } finally {
    closeSync(file)
  }
}

function pythonFolder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name)
    if (entry.isDirectory()) return [path.join(at, '__init__.py')]
    return pythonCode.test(entry.name) ? [at] : []
  })
}
