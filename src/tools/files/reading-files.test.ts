import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { onePixel } from '#test/harness/fixtures/result-with-files.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import type { Json } from '#domain/json/json.ts'
import type { ReadingBounds } from './search/may-read.ts'
import { execute, present, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { searchFiles } from './search-files.ts'

const everything: ReadingBounds = {
  worker: 'w',
  queue: null,
  zones: [{ root: '', suffixes: null }],
  overlays: [],
}
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

describe('read_file', () => {
  it('gives a small file unchanged, byte order mark and CRLF included', async () => {
    using place = await workspaceWith({ 'a.md': '\ufeffone\r\ntwo' })
    const result = await execute(readFile, place.workspace, { path: 'a.md' })
    expect(result.text).toBe('\ufeffone\r\ntwo')
    expect(result.output).toMatchObject({ bytes: 11, lines: 2, truncated: false })
  })

  it('gives the lines that were asked for, and says how to continue', async () => {
    using place = await workspaceWith({ 'a.md': lines(5000) })
    const of = async (input: Record<string, number>) =>
      (await execute(readFile, place.workspace, { path: 'a.md', ...input })).text
    expect(await of({ offset: 3, limit: 2 })).toBe(
      'line 3\nline 4\n[lines 3 to 4; the file has 48893 bytes; go on with offset 5]',
    )
    expect(await of({ offset: 4999 })).toBe(
      'line 4999\nline 5000\n[lines 4999 to 5000; the file has 48893 bytes; this is the end]',
    )
    expect(await of({ offset: 5001 })).toMatch(/there is no line 5001/)
    expect(await of({})).toMatch(/line 2000\n\[lines 1 to 2000; .* go on with offset 2001\]$/)
  })

  it('reads all of a file of any size, piece by piece, losing no byte', async () => {
    const text = `${'é'.repeat(70_000)}\n${lines(3000)}end`
    using place = await workspaceWith({ 'a.md': text.slice(70_001) })
    let offset = 1
    let whole = ''
    for (;;) {
      const { output } = await execute(readFile, place.workspace, {
        path: 'a.md',
        offset,
        limit: 700,
      })
      const part = output as { content: string; lines: number; truncated: boolean }
      whole += part.content
      offset += part.lines
      if (!part.truncated) break
    }
    expect(whole).toBe(text.slice(70_001))
  })

  it('cuts a long line at the limit, between characters, and says so', async () => {
    using place = await workspaceWith({ 'a.md': `a${'é'.repeat(limits.shownToModelBytes)}` })
    const { text, output } = await execute(readFile, place.workspace, { path: 'a.md' })
    const { content } = output as { content: string }
    expect(Buffer.byteLength(content)).toBe(limits.shownToModelBytes - 1)
    expect(content).not.toContain('\ufffd')
    expect(text).toMatch(/line 1 is cut, at most 65536 bytes are shown at a time\]$/)
  })

  it('reads the end of a file of 40 MB in little memory', async () => {
    using place = await workspaceWith({
      'big.log': Buffer.alloc(40 * 1024 * 1024, `${'x'.repeat(1023)}\n`),
    })
    const { text } = await execute(readFile, place.workspace, { path: 'big.log', offset: 40_960 })
    expect(text).toMatch(/^x{1023}\n\[lines 40960 to 40960; .* this is the end\]$/)
  })

  it('gives type, size and hash of a file that is not text', async () => {
    const png = Buffer.from('89504e470d0a1a0a00ff', 'hex')
    using place = await workspaceWith({ 'a.png': png, b: Buffer.from([0xff, 0xfe]) })
    expect((await execute(readFile, place.workspace, { path: 'a.png' })).output).toEqual({
      path: 'a.png',
      mediaType: 'image/png',
      bytes: 10,
      hash: hashBytes(png),
    })
    expect((await execute(readFile, place.workspace, { path: 'b' })).text).toMatch(/octet-stream/)
  })

  // Rules: security.md 18, 24
  it('returns a picture with its bytes, judged by its content: no SVG, no file with a false suffix, none that is too large', async () => {
    const large = Buffer.concat([onePixel, Buffer.alloc(limits.pictureBytes)])
    using place = await workspaceWith({
      'a.txt': onePixel,
      'page.png': Buffer.from('<html><script>alert(1)</script></html>'),
      'a.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      'odd.png': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<svg onload="x"/>')]),
      'large.png': large,
    })
    const read = (at: string) => execute(readFile, place.workspace, { path: at })
    const picture = await read('a.txt')
    expect(picture.files?.map(({ mediaType, bytes }) => [mediaType, hashBytes(bytes)])).toEqual([
      ['image/png', hashBytes(onePixel)],
    ])
    expect(picture.output).toEqual({
      path: 'a.txt',
      mediaType: 'image/png',
      bytes: onePixel.length,
      hash: hashBytes(onePixel),
    })
    for (const at of ['page.png', 'a.svg', 'odd.png', 'large.png']) {
      expect((await read(at)).files).toBeUndefined()
    }
    const refused = await read('large.png')
    expect(refused.text).toBe(
      `large.png is a picture, too large to be shown: image/png, ${large.length} bytes, ${hashBytes(large)}.`,
    )
  })

  it('that asks is shown without the content; links and folders are errors', async () => {
    using place = await workspaceWith({ '.env': 'TOKEN=hush-hush' })
    symlinkSync('.env', path.join(place.root, 'link'))
    mkdirSync(path.join(place.root, 'dir'))
    const call = await present(readFile, place.workspace, { path: '.env' })
    expect(call.title).toBe('Read .env')
    expect(JSON.stringify(call)).not.toContain('hush')
    for (const at of ['link', 'dir', 'none']) {
      expect((await execute(readFile, place.workspace, { path: at })).type).toBe('error')
    }
  })
})

describe('list_files', () => {
  const list = listFiles(everything)
  const of = async (place: Awaited<ReturnType<typeof workspaceWith>>, input: Json) =>
    (await execute(list, place.workspace, input)).text

  it('lists a folder, or all that matches below it, never what is hidden, never through links', async () => {
    using place = await workspaceWith({
      'a.md': 'x',
      'n/b.md': 'yy',
      'n/deep/c.ts': '',
      '.countersign/k': '',
    })
    symlinkSync('/etc', path.join(place.root, 'etc'))
    expect(await of(place, { path: '.' })).toBe('a.md (1 bytes)\netc (symlink)\nn/')
    expect(await of(place, { path: '.', glob: '*.md' })).toBe('a.md (1 bytes)\nn/b.md (2 bytes)')
    expect(await of(place, { path: 'n', glob: 'deep/**' })).toMatch('n/deep/c.ts (0 bytes)')
    expect(await of(place, { path: '.', glob: '*.none' })).toBe('[nothing matches]')
    for (const at of ['none', 'a.md', 'etc', '.countersign']) {
      expect((await execute(list, place.workspace, { path: at })).type).toBe('error')
    }
  })

  it('says when there is more', async () => {
    const files = Object.fromEntries(Array.from({ length: 2100 }, (_, index) => [`f${index}`, '']))
    using place = await workspaceWith(files)
    expect(await of(place, { path: '.' })).toMatch(/only the first 2000 entries are listed/)
  })
})

describe('search_files', () => {
  it('finds lines by regular expression, below a folder, in files that match', async () => {
    using place = await workspaceWith({
      'a.md': 'alpha\nbeta 12\n',
      'n/b.md': 'beta 7\r\n',
      'n/c.ts': 'beta 8\n',
      bin: Buffer.from('beta\0'),
      '.countersign/k': 'beta',
    })
    const search = searchFiles(everything)
    const of = async (input: Json) => (await execute(search, place.workspace, input)).text
    expect(await of({ pattern: 'beta \\d' })).toBe(
      'a.md:2: beta 12\nn/b.md:1: beta 7\nn/c.ts:1: beta 8\n[3 matching lines in 3 files]',
    )
    expect(await of({ pattern: 'beta', path: 'n', glob: '*.ts' })).toMatch(/^n\/c\.ts:1: beta 8\n/)
    expect(await of({ pattern: 'gamma' })).toBe('[0 matching lines in 3 files]')
  })

  it('searches no file that the worker may not read, and says how many those were', async () => {
    using place = await workspaceWith({ '.env': 'TOKEN', a: 'TOKEN', 'closed/b': 'TOKEN' })
    const never = { tool: ['read_file'], path: ['closed/**'] }
    const anything = { worker: null, queue: null, command: null, risk: null, cue: null }
    const overlays = [{ ...anything, ...never }]
    const search = searchFiles({ ...everything, overlays })
    expect((await execute(search, place.workspace, { pattern: 'TOKEN' })).text).toBe(
      'a:1: TOKEN\n[1 matching line in 1 file; 2 files not searched: reading them needs its own approval]',
    )
  })

  // Rules: security.md 27
  it('matches in time proportional to the text, whatever the pattern', async () => {
    using place = await workspaceWith({ 'a.md': `${'a'.repeat(100_000)}!\n`, 'b.md': 'aaa' })
    const search = searchFiles(everything)
    for (const pattern of ['^(a+)+$', '(a|a)*$', '(.*a){2,3}$', '^(([a-z])+.)+[A-Z]?a$']) {
      const { text } = await execute(search, place.workspace, { pattern })
      expect(text, pattern).toContain('b.md:1: aaa')
      expect(text, pattern).toMatch(/in 2 files\]$/)
    }
  })

  it('refuses an invalid expression, and says when there are more matches', async () => {
    const search = searchFiles(everything)
    const wrong = ['(', '[', '*', '', '\\', '(?=a)', '(a)\\1', '((a{100}){100}){100}']
    for (const pattern of wrong) await problemsOf(search, { pattern })
    using place = await workspaceWith({ 'a.md': 'x\n'.repeat(600) })
    expect((await execute(search, place.workspace, { pattern: 'x' })).text).toMatch(
      /500 matching lines in 1 file; only the first 500 matches are given/,
    )
  })
})
