import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { hostProof } from '#domain/requests/host-proof.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { originOfCall } from './origin-of-call.ts'

let folder = ''
beforeEach(async () => {
  folder = newFolder('countersign origin ')
  await mkdir(join(folder, 'notes'))
})

const program = 'Claude Code'
const put = (path: string, text: string | Uint8Array) => writeFile(join(folder, path), text)
const originOf = (tool: string, input: Record<string, unknown>, key: Uint8Array | null = null) =>
  originOfCall({ tool, input }, { key, program, root: folder })
const filesOf = async (tool: string, input: Record<string, unknown>) =>
  (await originOf(tool, input))?.files
const report = (path: string, content: string) => ({ path, hash: hashBytes(content), content })

// Rules: product.md 46
test('the origin has host and folder, and a proof of the folder only with a key', async () => {
  expect(await originOf('WebFetch', { url: 'https://x' })).toEqual({
    program: 'Claude Code',
    host: hostname(),
    folder,
  })
  const key = Buffer.from('k'.repeat(64))
  const link = `${folder}-link`
  await symlink(folder, link)
  const proved = await originOfCall({ tool: 'x', input: {} }, { key, program, root: link })
  await rm(link)
  // The real path, whatever the session calls it.
  expect(proved).toMatchObject({ folder, proof: hostProof(key, folder) })
  const gone = { key, program, root: join(folder, 'gone') }
  expect(await originOfCall({ tool: 'x', input: {} }, gone)).toBeNull()
})

test('files that the call names are reported with hash and contents, and a file to be made as absent', async () => {
  await put('notes/a.md', 'a\n')
  expect(await filesOf('read_file', { path: 'notes/a.md' })).toEqual([report('notes/a.md', 'a\n')])
  expect(await filesOf('write_file', { path: 'notes/new.md', content: 'x' })).toEqual([
    { path: 'notes/new.md', hash: 'absent' },
  ])
  expect(await filesOf('read_file', { path: 'notes/new.md' })).toBeUndefined()
  const absolute = { file_path: join(folder, 'notes/a.md'), edits: [] }
  expect(await filesOf('MultiEdit', absolute)).toEqual([report('notes/a.md', 'a\n')])
  await put('run.sh', 'echo\n')
  const command = 'FOO=1 bash "../run.sh" --config=notes/a.md; cat a.md missing.md'
  expect(await filesOf('shell', { command, cwd: 'notes' })).toEqual([
    report('run.sh', 'echo\n'),
    report('notes/a.md', 'a\n'),
  ])
})

test('a file that is no text, or is large, is reported with its hash alone', async () => {
  const bytes = Uint8Array.from([0xff, 0xfe, 0])
  await put('notes/bin', bytes)
  await put('notes/nul.txt', 'a\0b')
  const large = 'x'.repeat(1024 * 1024 + 1)
  await put('notes/large.txt', large)
  const hashOnly = (path: string, content: string | Uint8Array) => ({
    path,
    hash: hashBytes(content),
  })
  expect(
    await filesOf('shell', { command: 'cat notes/bin notes/nul.txt notes/large.txt' }),
  ).toEqual([
    hashOnly('notes/bin', bytes),
    hashOnly('notes/nul.txt', 'a\0b'),
    hashOnly('notes/large.txt', large),
  ])
})

// Rules: security.md 8, 10
test('environment and key files, links, special files and files outside are not reported', async () => {
  await put('.env', 'TOKEN=1\n')
  await put('notes/id_rsa', 'key\n')
  await put('notes/server.pem', 'key\n')
  await symlink('/etc/hostname', join(folder, 'notes/link'))
  await symlink('/etc', join(folder, 'etc'))
  await mkdir(join(folder, '.countersign/run'), { recursive: true })
  await put('.countersign/run/host-proof', 'k')
  execFileSync('mkfifo', [join(folder, 'notes/pipe')])
  const names = [
    '.env',
    'notes/id_rsa',
    'notes/server.pem',
    'notes/link',
    'etc/hostname',
    'notes/pipe',
    'notes',
    '../../etc/hostname',
    '/etc/hostname',
    '.countersign/run/host-proof',
  ]
  for (const path of names) expect(await filesOf('read_file', { path }), path).toBeUndefined()
  expect(await filesOf('shell', { command: `cat ${names.join(' ')}` })).toBeUndefined()
  expect(await filesOf('Read', { file_path: '/etc/hostname' })).toBeUndefined()
})

test('the reported contents fit one request to the service', async () => {
  const text = 'é'.repeat(500_000)
  for (let at = 0; at < 6; at += 1) await put(`notes/${at}.txt`, `${at}${text}`)
  const names = Array.from({ length: 6 }, (_, at) => `notes/${at}.txt`)
  const files = (await filesOf('shell', { command: `cat ${names.join(' ')}` })) ?? []
  expect(files).toHaveLength(6)
  const contents = files.flatMap(({ content }) => content ?? [])
  expect(contents).toHaveLength(4)
  const much = { path: 'notes/0.txt', content: '\u0001'.repeat(2_000_000) }
  const origin = await originOf('write_file', much)
  expect(origin?.files).toEqual([{ path: 'notes/0.txt', hash: hashBytes(`0${text}`) }])
})
