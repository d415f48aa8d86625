import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A file that Git has in a folder. */
export interface ZoneFile {
  /** relative to the folder, as bytes in Latin-1 */
  readonly name: string
  readonly kind: 'file' | 'program' | 'link' | 'repository'
  readonly bytes: Buffer
}

const maxFiles = 10_000
const kinds = new Map([
  ['100644', 'file'],
  ['100755', 'program'],
  ['120000', 'link'],
  ['160000', 'repository'],
] as const)

/**
 * The files in the answer of Git about `folder`, a name in its working folder; a text says why they
 * are not known. An agent can write an index, so a name may be any bytes.
 */
export function readZoneAnswer(answer: Buffer, folder: string): readonly ZoneFile[] | string {
  const prefix = `${Buffer.from(folder).toString('latin1')}/`
  const entries: string[] = []
  let at = 0
  while (at < answer.length) {
    const end = answer.indexOf(0, at)
    if (end < 0) return 'the answer of Git is cut off'
    const entry = answer.toString('latin1', at, end)
    at = end + 1
    if (entry === '') break
    entries.push(entry)
  }
  if (entries.length > maxFiles) {
    return `Git has more than ${maxFiles.toLocaleString('en')} files in it`
  }
  const files: ZoneFile[] = []
  for (const entry of entries) {
    const [head, fullName] = splitOnce(entry, '\t')
    const [mode, , stage] = head.split(' ')
    if (stage !== '0') return 'a merge of Git is not finished in it'
    const kind = [...kinds].find(([bits]) => bits === mode)?.[1]
    const name = fullName.startsWith(prefix) ? fullName.slice(prefix.length) : ''
    if (kind === undefined || !isPlainName(name))
      return 'the index of Git has a name that is not valid'
    if (kind === 'repository') {
      files.push({ name, kind, bytes: Buffer.alloc(0) })
      continue
    }
    const line = answer.indexOf('\n', at)
    const [, type, size] = answer.toString('latin1', at, Math.max(at, line)).split(' ')
    const start = line + 1
    const end = start + Number(size)
    if (line < 0 || type !== 'blob' || !(end < answer.length))
      return 'Git has not all objects of it'
    files.push({ name, kind, bytes: answer.subarray(start, end) })
    at = end + 1
  }
  const names = new Set(files.map((file) => file.name))
  if (names.size < files.length || files.some(({ name }) => isBelowOne(names, name))) {
    return 'the index of Git has a file and a folder of one name'
  }
  return files
}

/**
 * Writes the files into a new folder. No link has a file below it (`readZoneAnswer`), so that
 * nothing is written through one.
 */
export async function writeZoneFiles(folder: string, files: readonly ZoneFile[]): Promise<void> {
  await mkdir(folder, { mode: 0o755 })
  for (const { bytes, kind, name } of files) {
    const at = bytesBelow(folder, name)
    if (kind === 'repository') {
      await mkdir(at, { recursive: true, mode: 0o755 })
      continue
    }
    await mkdir(bytesBelow(folder, path.posix.dirname(name)), { recursive: true, mode: 0o755 })
    if (kind === 'link') await symlink(bytes, at)
    else await writeFile(at, bytes, { flag: 'wx', mode: kind === 'program' ? 0o755 : 0o644 })
  }
}

function bytesBelow(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')])
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Whether an index name stays below its folder: an agent can write names that Git does not. */
export function isPlainName(name: string): boolean {
  return name.split('/').every((part) => !['', '.', '..'].includes(part) && !isGitFolder(part))
}

function isGitFolder(part: string): boolean {
  return part.toLowerCase() === '.git'
}

function isBelowOne(names: ReadonlySet<string>, name: string): boolean {
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
    if (names.has(name.slice(0, at))) return true
  }
  return false
}
