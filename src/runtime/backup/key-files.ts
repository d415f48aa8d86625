import { errorCode } from '#domain/error-code.ts'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeOnce } from '../files.ts'
import { runFolder } from '../folders.ts'
import { whileHolding } from '../processes/hold-file.ts'

/** A file of the data folder's `keys/`; its path begins with that name. */
export interface KeyFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * The keys of a data folder, without files whose names are not a key's. `keys/public/` is public,
 * the rest is private.
 */
export async function readKeyFiles(
  dataDir: string,
  which: { readonly privateToo: boolean },
): Promise<KeyFile[]> {
  const entries = await readdir(join(dataDir, 'keys'), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.new'))
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1))
    .filter((path) => isKeyPath(path) && (which.privateToo || !isPrivateKey(path)))
  const read = paths.toSorted().map(async (path) => {
    return { path, bytes: await readFile(join(dataDir, path)) }
  })
  return Promise.all(read).catch((error: unknown) => {
    // A rotation has renamed one since.
    if (errorCode(error) === 'ENOENT') return readKeyFiles(dataDir, which)
    throw error
  })
}

/** Whether a file of the archive is a private key. */
export function isPrivateKey(path: string): boolean {
  return !path.startsWith('keys/public/')
}

/**
 * Whether a file of an archive is a key that may be written into a data folder: no path leads out
 * of `keys/`.
 */
export function isKeyPath(path: string): boolean {
  return /^keys(\/[\w-][\w.-]*)+$/.test(path)
}

/**
 * Writes the missing keys, and returns their paths. Throws one sentence, and writes none, when the
 * data folder has another key in the place of one of these. Another restore into the folder writes
 * its keys before or after, not meanwhile. It throws, too, when a start of the service or a restore
 * on another host makes such a key meanwhile. Only the owner can read private ones.
 */
export async function restoreKeys(
  dataDir: string,
  files: readonly KeyFile[],
): Promise<readonly string[]> {
  const runDir = runFolder(dataDir)
  await mkdir(runDir, { recursive: true, mode: 0o700 })
  const lock = { file: join(runDir, 'restore.lock'), waitMs: 30_000 }
  return whileHolding(lock, async () => {
    await refuseOtherKeys(dataDir, files)
    return writeKeyFiles(dataDir, files)
  })
}

async function refuseOtherKeys(dataDir: string, files: readonly KeyFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const there = await readFile(join(dataDir, path)).catch(() => null)
    if (there !== null && !there.equals(bytes)) {
      throw new Error(
        `${join(dataDir, path)} is another key than the backup's: move it away first, nothing was changed`,
      )
    }
  }
}

async function writeKeyFiles(dataDir: string, files: readonly KeyFile[]): Promise<string[]> {
  const paths: string[] = []
  for (const { path, bytes } of files) {
    const target = join(dataDir, path)
    const mode = isPrivateKey(path) ? 0o600 : 0o644
    if (await writeOnce(target, bytes, mode)) {
      paths.push(target)
    } else if (!(await readFile(target)).equals(bytes)) {
      throw new Error(
        `${target} was made meanwhile, and is another key than the backup's: move it away, and restore again`,
      )
    }
  }
  return paths
}
