import { errorCode } from '#domain/error-code.ts'
import { readlink, realpath, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * The real path of an absolute path after all links are followed (`CommandHost.realPath`), as the
 * kernel would: `..` counts after the links before it. For a path that does not exist yet: the real
 * path of its nearest existing parent and the rest, unless a name in the rest is `..` or a broken
 * link. `null` when it cannot be determined: a loop of links, no permission, a relative path, a
 * NUL.
 */
export async function realPathOf(absolute: string): Promise<string | null> {
  if (!absolute.startsWith('/') || absolute.includes('\0')) return null
  const names = absolute.split('/').filter((name) => name !== '' && name !== '.')
  for (let count = names.length; count >= 0; count -= 1) {
    const at = `/${names.slice(0, count).join('/')}`
    const real = await existingPart(at)
    if (real === 'unclear') return null
    if (real !== 'absent') return path.join(real, ...names.slice(count))
    if (names[count - 1] === '..' || (await isLink(at))) return null
  }
  return null
}

/** Whether a path is a folder, or leads to one by links. */
export async function isFolder(at: string): Promise<boolean> {
  return stat(at).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function existingPart(at: string): Promise<string> {
  try {
    return await realpath(at)
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'absent' : 'unclear'
  }
}

async function isLink(at: string): Promise<boolean> {
  return readlink(at).then(
    () => true,
    () => false,
  )
}
