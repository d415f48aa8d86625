import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { hostilePaths } from './fixtures/hostile-paths.fixture.ts'
import { maxHashedBytes } from './open-file.ts'
import { openWorkspace } from './workspace.ts'
import {
  base,
  bytes,
  outside,
  problem,
  read,
  root,
  useWorkspace,
  workspace,
} from './fixtures/workspace.fixture.ts'

useWorkspace()

/** Every operation on one path; each must refuse. */
function everything(at: string): Promise<unknown>[] {
  const hash = hashBytes('one\n')
  return [
    workspace.state(at),
    workspace.state(at, { hash: true, clash: true }),
    workspace.read(at, { maxBytes: 10 }),
    workspace.list(at, { maxEntries: 10 }),
    workspace.write(at, bytes('x'), 'absent'),
    workspace.remove(at, hash),
    workspace.move(at, 'new.md', { from: hash, to: 'absent' }),
    workspace.move('notes/a.md', at, { from: hash, to: 'absent' }),
  ]
}

// Rules: security.md 11
describe('a name', () => {
  it(`is refused in every operation if it is one of ${hostilePaths.length} hostile names`, async () => {
    for (const hostile of hostilePaths) {
      for (const attempt of everything(hostile)) {
        await expect(attempt, JSON.stringify(hostile)).rejects.toEqual(problem('invalid_name'))
      }
    }
    expect(readdirSync(outside)).toEqual(['secret.txt'])
    expect(read('notes/a.md')).toBe('one\n')
  })

  it('that differs only by case from a sibling is refused, for the file and for new folders on its path', async () => {
    for (const at of ['notes/A.md', 'NOTES/b.md', 'Notes/deep/b.md']) {
      await expect(workspace.write(at, bytes('x'), 'absent')).rejects.toEqual(problem('case_clash'))
      expect(await workspace.state(at, { clash: true })).toHaveProperty('clash')
    }
    expect(readdirSync(root).toSorted()).toEqual(['.countersign', 'notes'])
    expect(await workspace.state('notes/b.md', { clash: true })).not.toHaveProperty('clash')
  })

  it('may be changed in nothing but its case by a move', async () => {
    await workspace.move('notes/a.md', 'notes/A.md', { from: hashBytes('one\n'), to: 'absent' })
    expect(readdirSync(path.join(root, 'notes'))).toEqual(['A.md'])
  })
})

// Rules: security.md 8
describe('a hidden path', () => {
  it('does not exist for any operation, however its name is written', async () => {
    for (const at of [
      '.countersign',
      '.countersign/key',
      '.COUNTERSIGN/key',
      '.countersign/new/x',
    ]) {
      for (const attempt of everything(at)) {
        await expect(attempt, at).rejects.toEqual(problem('hidden'))
      }
    }
    const names = (await workspace.list('', { maxEntries: 10 })).map((entry) => entry.name)
    expect(names).toEqual(['notes'])
    expect(readFileSync(path.join(root, '.countersign/key'), 'utf8')).toBe('private')
  })

  it('does not exist under another name of the same folder either', async () => {
    const data = path.join(root, 'notes/data')
    mkdirSync(data)
    const other = await openWorkspace({ root, hidden: [data, path.join(base, 'elsewhere')] })
    await expect(other.read('notes/data/x', { maxBytes: 1 })).rejects.toEqual(problem('hidden'))
    const inside = await openWorkspace({ root: path.join(root, 'notes'), hidden: [data] })
    expect((await inside.list('', { maxEntries: 9 })).map((entry) => entry.name)).toEqual(['a.md'])
  })
})

// Rules: security.md 10
describe('an operation on links and special files', () => {
  it('follows no symbolic link, as file, as folder, at any depth', async () => {
    symlinkSync(outside, path.join(root, 'linked'))
    symlinkSync(path.join(outside, 'secret.txt'), path.join(root, 'notes/link.md'))
    symlinkSync('.', path.join(root, 'notes/self'))
    expect(await workspace.state('linked')).toMatchObject({ kind: 'symlink' })
    for (const at of ['linked/secret.txt', 'linked/deep/x', 'notes/self/a.md']) {
      await expect(workspace.state(at)).rejects.toEqual(problem('is_a_link'))
      await expect(workspace.read(at, { maxBytes: 9 })).rejects.toEqual(problem('is_a_link'))
      await expect(workspace.write(at, bytes('x'), 'absent')).rejects.toEqual(problem('is_a_link'))
    }
    await expect(workspace.read('notes/link.md', { maxBytes: 9 })).rejects.toEqual(
      problem('is_a_link'),
    )
    await expect(workspace.list('linked', { maxEntries: 9 })).rejects.toEqual(problem('is_a_link'))
    await expect(workspace.write('notes/link.md', bytes('x'), hashBytes('secret'))).rejects.toEqual(
      problem('stale'),
    )
    expect(readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(readdirSync(outside)).toEqual(['secret.txt'])
  })

  it('does not wait for a FIFO, and opens no socket or device', async () => {
    execFileSync('mkfifo', [path.join(root, 'notes/pipe')])
    expect(await workspace.state('notes/pipe', { hash: true })).toEqual({ kind: 'other', bytes: 0 })
    await expect(workspace.read('notes/pipe', { maxBytes: 9 })).rejects.toEqual(
      problem('not_a_file'),
    )
    await expect(workspace.write('notes/pipe', bytes('x'), 'absent')).rejects.toEqual(
      problem('stale'),
    )
    const device = await openWorkspace({ root: '/dev', hidden: [] })
    await expect(device.read('zero', { maxBytes: 9 })).rejects.toEqual(problem('not_a_file'))
  })

  it('breaks a hard link instead of writing through it, and keeps the mode', async () => {
    linkSync(path.join(outside, 'secret.txt'), path.join(root, 'notes/hard.md'))
    chmodSync(path.join(root, 'notes/hard.md'), 0o640)
    await workspace.write('notes/hard.md', bytes('new'), hashBytes('secret'))
    expect(read('notes/hard.md')).toBe('new')
    expect(readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(statSync(path.join(root, 'notes/hard.md')).mode & 0o777).toBe(0o640)
  })
})

// Rules: security.md 10
describe('writing', () => {
  it('makes the folders it needs, leaves nothing else behind, and gives new files the usual mode', async () => {
    await workspace.write('x/y/z.md', bytes('deep'), 'absent')
    expect(read('x/y/z.md')).toBe('deep')
    expect(readdirSync(path.join(root, 'x/y'))).toEqual(['z.md'])
    expect(statSync(path.join(root, 'x/y/z.md')).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  it('refuses as stale what has another base, and changes nothing', async () => {
    const old = hashBytes('old')
    for (const attempt of [
      () => workspace.write('notes/a.md', bytes('x'), 'absent'),
      () => workspace.write('notes/a.md', bytes('x'), old),
      () => workspace.write('notes/new.md', bytes('x'), old),
      () => workspace.remove('notes/a.md', old),
      () => workspace.move('notes/a.md', 'notes/b.md', { from: old, to: 'absent' }),
      () => workspace.move('notes/a.md', 'notes/b.md', { from: hashBytes('one\n'), to: old }),
    ]) {
      await expect(attempt()).rejects.toEqual(problem('stale'))
    }
    expect(readdirSync(path.join(root, 'notes'))).toEqual(['a.md'])
    expect(read('notes/a.md')).toBe('one\n')
  })

  it('lets one of many writers of the same base succeed, and refuses the others', async () => {
    const hash = hashBytes('one\n')
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        workspace.write('notes/a.md', bytes(`writer ${index}`), hash),
      ),
    )
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    expect(readdirSync(path.join(root, 'notes'))).toEqual(['a.md'])
  })

  it('removes the temporary files of killed writes, but not those of writes that may still run', async () => {
    const [old, fresh] = ['.countersign-0011223344556677.tmp', '.countersign-8899aabbccddeeff.tmp']
    for (const name of [old, fresh]) writeFileSync(path.join(root, 'notes', name), 'half')
    utimesSync(path.join(root, 'notes', old), 1, 1)
    await expect(workspace.read(`notes/${fresh}`, { maxBytes: 9 })).rejects.toEqual(
      problem('hidden'),
    )
    expect(await workspace.list('notes', { maxEntries: 9 })).toHaveLength(1)
    await workspace.write('notes/b.md', bytes('x'), 'absent')
    expect(readdirSync(path.join(root, 'notes')).toSorted()).toEqual([fresh, 'a.md', 'b.md'])
  })

  it('removes and moves exactly the file that was meant', async () => {
    writeFileSync(path.join(root, 'notes/b.md'), 'two\n')
    const [one, two] = [hashBytes('one\n'), hashBytes('two\n')]
    await workspace.move('notes/a.md', 'notes/b.md', { from: one, to: two })
    expect(read('notes/b.md')).toBe('one\n')
    await workspace.move('notes/b.md', 'deep/er/c.md', { from: one, to: 'absent' })
    await workspace.remove('deep/er/c.md', one)
    expect(existsSync(path.join(root, 'deep/er/c.md'))).toBe(false)
    await expect(workspace.remove('notes', one)).rejects.toEqual(problem('stale'))
  })
})

describe('reading', () => {
  it('names the limit when a file is larger, and reads any part of it', async () => {
    writeFileSync(path.join(root, 'big.txt'), 'x'.repeat(100_000))
    await expect(workspace.read('big.txt', { maxBytes: 99_999 })).rejects.toThrow(
      /100000 bytes; at most 99999/,
    )
    expect(await workspace.read('big.txt', { maxBytes: 100_000 })).toHaveLength(100_000)
    expect(await workspace.read('big.txt', { maxBytes: 10, start: 99_995 })).toHaveLength(5)
    expect(await workspace.read('big.txt', { maxBytes: 10, start: 200_000 })).toHaveLength(0)
  })

  it('refuses to hash a file of more than 8 GiB, and stops with its signal', async () => {
    const large = path.join(root, 'large.img')
    writeFileSync(large, '')
    truncateSync(large, maxHashedBytes + 1)
    const sentence = '"large.img" has more than 8 GiB, and is too large to be compared.'
    const refusal = { code: 'too_large', message: sentence }
    await expect(workspace.state('large.img', { hash: true })).rejects.toMatchObject(refusal)
    await expect(workspace.remove('large.img', hashBytes('x'))).rejects.toMatchObject(refusal)
    expect(await workspace.state('large.img')).toMatchObject({ bytes: maxHashedBytes + 1 })
    truncateSync(large, maxHashedBytes)
    const stop = new AbortController()
    const hashing = workspace.state('large.img', { hash: true, signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(hashing).rejects.toThrow('stopped')
  })

  it('hashes a file without loading it into memory', async () => {
    const piece = Buffer.alloc(4 * 1024 * 1024, 'abc')
    writeFileSync(path.join(root, 'huge.bin'), piece)
    expect(await workspace.state('huge.bin', { hash: true })).toEqual({
      kind: 'file',
      bytes: piece.length,
      hash: hashBytes(piece),
    })
  })

  it('distinguishes an absent path, a folder and a path through a file', async () => {
    expect(await workspace.state('nothing/here')).toEqual({ kind: 'absent', bytes: 0 })
    expect(await workspace.state('')).toMatchObject({ kind: 'directory' })
    await expect(workspace.state('notes/a.md/x')).rejects.toEqual(problem('not_a_directory'))
    await expect(workspace.read('notes', { maxBytes: 9 })).rejects.toEqual(problem('not_a_file'))
    await expect(workspace.read('none', { maxBytes: 9 })).rejects.toEqual(problem('not_found'))
    await expect(workspace.list('notes/a.md', { maxEntries: 9 })).rejects.toEqual(
      problem('not_a_directory'),
    )
  })
})
