import { readlink, realpath } from 'node:fs/promises'
import path from 'node:path'

/**
 * Where an absolute path really lies once every link on the way is followed
 * (`CommandHost.realPath`), as the kernel would walk it: `..` counts after the links before it. Of
 * what does not exist yet: the real place of its nearest parent that does, with the rest behind it,
 * unless a name of the rest is `..` or a link that leads nowhere. `null` when it cannot be said: a
 * loop of links, no right to look, a relative path, a NUL.
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

async function existingPart(at: string): Promise<string> {
  try {
    return await realpath(at)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unclear'
  }
}

async function isLink(at: string): Promise<boolean> {
  return readlink(at).then(
    () => true,
    () => false,
  )
}
