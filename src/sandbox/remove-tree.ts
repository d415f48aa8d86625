import { errorCode } from '#domain/error-code.ts'
import { constants } from 'node:fs'
import { chmod, lstat, open, readdir, rmdir, unlink } from 'node:fs/promises'
import { openChild, type Directory } from './open-directory.ts'
import { bytesOfName, textOfName } from './names/raw-names.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
/** Opens without the right to read; Linux only, and Node has no name for it. */
const O_PATH = 0o10000000

/**
 * Removes an entry of an open folder, with everything in it. Every folder on the way is open, so
 * that no rename can lead elsewhere, and no link is followed. Rejects with the system's error.
 */
export async function removeTree(parent: Directory, name: string): Promise<void> {
  const target = bytesOfName(parent.child(name))
  if (!(await lstat(target)).isDirectory()) {
    await unlink(target)
    return
  }
  {
    await using folder = await openChild(parent, name).catch(async () => {
      await makeWritable(target)
      return openChild(parent, name)
    })
    const entries = await readdir(folder.child('.'), { encoding: 'buffer' })
    // Without write permission nothing in it could be removed.
    if (entries.length > 0) await folder.handle.chmod(0o700).catch(() => undefined)
    for (const entry of entries) await removeTree(folder, textOfName(entry))
  }
  await rmdir(target)
}

/**
 * For a folder of the service's user that it may not even read: its permissions are changed through
 * a descriptor, so that no link is followed.
 */
async function makeWritable(target: Buffer): Promise<void> {
  if (process.platform !== 'linux') return
  try {
    await using handle = await open(target, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_RDONLY)
    await chmod(`/proc/self/fd/${handle.fd}`, 0o700)
  } catch (error) {
    if (errorCode(error) === null) throw error
  }
}
