import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * A sentence that says what to do about an error of the file system at a path that somebody named.
 * `null` for other errors.
 */
export async function fileSentence(thrown: unknown): Promise<string | null> {
  if (!(thrown instanceof Error)) return null
  const { code = '', path, syscall = '' }: NodeJS.ErrnoException = thrown
  // A program that cannot be started and a socket that nobody serves have sentences of their own.
  if (path === undefined || /^(?:spawn|connect|listen)/.test(syscall)) return null
  // A file is written under a temporary name, and renamed.
  const file = path.replace(/\.[\da-f-]+\.new$/, '')
  const folder = dirname(file)
  const isFolder = await stat(folder).then(
    (entry) => entry.isDirectory(),
    () => null,
  )
  if (isFolder === false) return `${folder} is not a folder: name another place`
  switch (code) {
    case 'ENOENT':
      if (syscall === 'mkdir') return `No folder can be made in ${folder}: name another place`
      return isFolder === null
        ? `There is no folder ${folder}: make it first, or name another place`
        : `There is no ${syscall === 'scandir' ? 'folder' : 'file'} ${file}`
    case 'EACCES':
    case 'EPERM':
      return `This user may not open ${file}: change its mode or that of its folder, or name another place`
    case 'EISDIR':
      return `${file} is a folder: name a file`
    case 'EEXIST':
      return `${file} exists and is not overwritten: name another place`
    case 'EROFS':
      return `${file} is on a file system that cannot be written: name another place`
    case 'ENOSPC':
      return `The disk of ${folder} is full`
    default:
      return null
  }
}
