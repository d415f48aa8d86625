import { readlink, realpath } from 'node:fs/promises'
import path from 'node:path'

/**
 * Where an absolute path really lies once every link on the way is followed (`CommandHost.realPath`). Of what does not
 * exist yet: the real place of its nearest parent that does, with the rest behind it, unless a name of the rest is a
 * link that leads nowhere. `null` when it cannot be said: a loop of links, no right to look, a relative path, a NUL.
 */
export async function realPathOf(absolute: string): Promise<string | null> {
  if (!path.isAbsolute(absolute) || absolute.includes('\0')) return null
  const missing: string[] = []
  let at = path.normalize(absolute)
  for (;;) {
    const found = await existing(at)
    if (found === 'unclear') return null
    if (found !== 'absent') return path.join(found, ...missing)
    const parent = path.dirname(at)
    if (parent === at || (await isLink(at))) return null
    missing.unshift(path.basename(at))
    at = parent
  }
}

async function existing(at: string): Promise<string | 'absent' | 'unclear'> {
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
