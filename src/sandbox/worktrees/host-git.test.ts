import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { hostGit } from './host-git.ts'
import { objectStoresOf } from './repository.ts'

const gitDir = newFolder('host-git-')
execFileSync('git', ['init', '-q', '--bare', gitDir])

const sha1 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Seven bits a byte, the lowest first; the first byte has `first` bits and a type above them. */
function sizeBytes(size: number, type = 0, first = 7): Buffer {
  const bytes = [type | (size % 2 ** first)]
  for (let left = Math.floor(size / 2 ** first); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(left % 128)
  }
  return Buffer.from(bytes)
}

/** A pack of two objects, of which one is `copies` copies of the other, 16 MB each. */
function packOfCopies(copies: number): Buffer {
  const base = Buffer.alloc(0xffff00)
  const id = sha1(`blob ${base.length}\0`, base)
  const copyAll = Buffer.from([0x80 | 0x20 | 0x40, 0xff, 0xff])
  const delta = Buffer.concat([
    sizeBytes(base.length),
    sizeBytes(copies * base.length),
    ...Array.from({ length: copies }, () => copyAll),
  ])
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\x02', 'latin1')
  const pack = Buffer.concat([
    header,
    sizeBytes(base.length, 3 << 4, 4),
    deflateSync(base),
    sizeBytes(delta.length, 7 << 4, 4),
    id,
    deflateSync(delta),
  ])
  return Buffer.concat([pack, sha1(pack)])
}

// Rules: security.md 9, 27
test('a small pack cannot make Git on the host use the memory of the host', async () => {
  const words = ['index-pack', '--strict', '--stdin']
  const fine = await hostGit(words, { gitDir, stdin: packOfCopies(2) })
  expect(fine).toMatchObject({ code: 0, stderr: '' })
  const pack = packOfCopies(44)
  expect(pack.length).toBeLessThan(20_000)
  const end = await hostGit(words, { gitDir, stdin: pack })
  expect(end.code).not.toBe(0)
  expect(end.stderr).toMatch(/over limit/)
})

// Rules: security.md 6
test('Git on the host reaches no other repository, whatever protocols this one allows', async () => {
  const names = ['ext', 'file']
  for (const name of names) {
    execFileSync('git', ['-C', gitDir, 'config', `protocol.${name}.allow`, 'always'])
  }
  for (const [index, address] of ['ext::sh -c id', gitDir].entries()) {
    const end = await hostGit(['ls-remote', address], { gitDir })
    expect(end.code).not.toBe(0)
    expect(end.stderr).toContain(`transport '${names[index]}' not allowed`)
  }
})

// Rules: security.md 7, 8
test('a repository lends commands the objects of repositories, and no other folder that it names', async () => {
  const repository = { gitDir, checkoutGitDir: gitDir, format: 'sha1' } as const
  const list = path.join(gitDir, 'objects/info/alternates')
  const other = newFolder('other-')
  execFileSync('git', ['init', '-q', '--bare', other])
  const own = path.join(gitDir, 'objects')
  writeFileSync(list, `${other}/objects\n`)
  expect(await objectStoresOf(repository)).toEqual([own, `${other}/objects`])
  const keys = newFolder('keys-')
  mkdirSync(path.join(keys, 'objects'))
  for (const folder of [keys, `${keys}/objects`, '/']) {
    writeFileSync(list, `${folder}\n`)
    await expect(objectStoresOf(repository)).rejects.toThrow(`it borrows objects from ${folder}`)
  }
})
