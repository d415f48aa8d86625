import { applyPatch } from 'diff'
import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashBytes, hashJson } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import type { Tool } from '#domain/tools/tool.ts'
import { hostilePaths } from '#sandbox/fixtures/hostile-paths.fixture.ts'
import { execute, parsed, present, problemsOf, workspaceWith } from '../workspace.fixture.ts'
import { deleteFile } from './delete-file.ts'
import { editFile } from './edit-file.ts'
import { moveFile } from './move-file.ts'
import { readFile } from './read-file.ts'
import { writeFile } from './write-file.ts'

const stale = expect.objectContaining({ name: 'WorkspaceProblem', code: 'stale' })

describe('input', () => {
  const inputs: readonly (readonly [Tool, (at: string) => Record<string, string | object[]>])[] = [
    [readFile, (at) => ({ path: at })],
    [writeFile, (at) => ({ path: at, content: 'x' })],
    [editFile, (at) => ({ path: at, edits: [{ find: 'a', replace: 'b' }] })],
    [deleteFile, (at) => ({ path: at })],
    [moveFile, (at) => ({ from: at, to: 'b' })],
    [moveFile, (at) => ({ from: 'b', to: at })],
  ]

  // Rules: security.md 11
  it(`refuses every hostile name in every tool (${hostilePaths.length} names)`, async () => {
    for (const [tool, inputOf] of inputs) {
      for (const hostile of hostilePaths) {
        await problemsOf(tool, JSON.parse(JSON.stringify(inputOf(hostile))) as never)
      }
      expect(await problemsOf(tool, inputOf('') as never)).toMatch(/path of a file is required/)
    }
  })

  it('refuses unknown fields, missing ones and wrong types, and names them', async () => {
    for (const [tool, inputOf] of inputs) {
      expect(await problemsOf(tool, { ...inputOf('a'), force: true })).toMatch(/force/)
      for (const bad of [{}, [], null, 'x', 1]) await problemsOf(tool, bad)
      expect(tool.jsonSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  it('has one canonical form, which parses to itself', async () => {
    const input = await parsed(writeFile, { path: './notes/1.md', content: 'x' })
    expect(input).toEqual({ path: 'notes/1.md', content: 'x', encoding: 'utf8' })
    expect(await parsed(writeFile, input)).toEqual(input)
    expect(await parsed(readFile, { path: 'a' })).toEqual({ path: 'a', offset: 1, limit: 2000 })
  })

  it('refuses text that has no canonical form: lone surrogates and U+0000', async () => {
    for (const content of ['\ud800', 'a\0b']) {
      expect(await problemsOf(writeFile, { path: 'a', content })).toMatch(/surrogate|U\+0000/)
      const edits = [{ find: 'x', replace: content }]
      expect(await problemsOf(editFile, { path: 'a', edits })).toMatch(/^edits\.0\.replace: /)
    }
  })

  it('names the limit that content, edits and base64 exceed', async () => {
    const content = 'é'.repeat(limits.writeBytes / 2)
    await parsed(writeFile, { path: 'a', content })
    expect(await problemsOf(writeFile, { path: 'a', content: `${content}!` })).toMatch(/8 MiB/)
    const edits = Array.from({ length: limits.editsPerCall + 1 }, () => ({
      find: 'a',
      replace: 'b',
    }))
    expect(await problemsOf(editFile, { path: 'a', edits })).toMatch(/200/)
    for (const wrong of ['YQ', 'YQ==\n', 'YR==', '-_8=', 'é']) {
      await problemsOf(writeFile, { path: 'a', content: wrong, encoding: 'base64' })
    }
    await parsed(writeFile, { path: 'a', content: 'YQ==', encoding: 'base64' })
  })
})

describe('write_file', () => {
  // Rules: product.md 26
  it('shows a new file whole, with exact totals, facts and every byte', async () => {
    using place = await workspaceWith({})
    const call = await present(writeFile, place.workspace, { path: 'n/a.md', content: '# ü\nx\n' })
    const newHash = hashBytes('# ü\nx\n')
    expect(call.title).toBe('Create n/a.md (+2)')
    expect(call.presentation).toMatchObject({
      type: 'file_content',
      language: 'markdown',
      content: '# ü\nx\n',
      truncated: false,
      totalLines: 2,
      totalBytes: 7,
      metadata: { path: 'n/a.md', baseHash: 'absent', newHash, newBytes: 7, added: 2, removed: 0 },
      warnings: [],
    })
    const { digest, ...rest } = call.presentation
    expect(digest).toBe(hashJson(rest))
    expect(call.facts).toEqual({
      toolHash: writeFile.definitionHash,
      bases: [{ path: 'n/a.md', hash: 'absent' }],
      newHash,
    })
    expect(Buffer.from(call.content).toString()).toBe('# ü\nx\n')
    expect(existsSync(path.join(place.root, 'n'))).toBe(false)
  })

  it('shows a change as a unified diff under its title', async () => {
    using place = await workspaceWith({ 'notes/1.2.md': 'a\nb\nc\n' })
    const input = { path: 'notes/1.2.md', content: 'a\nB\nc\nd' }
    const { title, presentation } = await present(writeFile, place.workspace, input)
    expect(title).toBe('Edit notes/1.2.md (+2 −1)')
    expect(presentation.content).toBe(
      '--- a/notes/1.2.md\n+++ b/notes/1.2.md\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n\\ No newline at end of file\n',
    )
    expect(presentation.metadata).toMatchObject({
      added: 2,
      removed: 1,
      mediaType: 'text/markdown',
    })
    expect(presentation.warnings).toEqual(['No newline at the end of the file.'])
  })

  // Rules: product.md 26
  it('executes exactly what was shown, and reports it', async () => {
    using place = await workspaceWith({ 'a.md': 'old\n' })
    const input = { path: 'a.md', content: 'bmV3AP8=', encoding: 'base64' }
    const { facts, presentation, contentType } = await present(writeFile, place.workspace, input)
    expect(presentation).toMatchObject({ type: 'binary', metadata: { newBytes: 5 } })
    expect(contentType).toBe('application/octet-stream')
    const result = await execute(writeFile, place.workspace, input, facts)
    expect(result).toMatchObject({ type: 'output', output: { bytes: 5, hash: facts.newHash } })
    const state = await place.workspace.state('a.md', { hash: true })
    expect(state.hash).toBe(facts.newHash)
  })

  // Rules: product.md 14; security.md 10
  it('does not execute on another base: it is stale, and nothing changed', async () => {
    using place = await workspaceWith({ 'a.md': 'old\n' })
    const input = { path: 'a.md', content: 'new\n' }
    const { facts } = await present(writeFile, place.workspace, input)
    place.put('a.md', 'someone else\n')
    await expect(execute(writeFile, place.workspace, input, facts)).rejects.toEqual(stale)
    const fresh = await present(writeFile, place.workspace, { path: 'b.md', content: 'x' })
    place.put('b.md', 'y')
    const other = execute(writeFile, place.workspace, { path: 'b.md', content: 'x' }, fresh.facts)
    await expect(other).rejects.toEqual(stale)
    expect([place.text('a.md'), place.text('b.md')]).toEqual(['someone else\n', 'y'])
  })

  // Rules: product.md 1, 4
  it('nobody is asked about a write that could not run: links, folders, clashing names', async () => {
    using place = await workspaceWith({ 'notes/a.md': 'x' })
    symlinkSync('/etc', path.join(place.root, 'etc'))
    symlinkSync('/etc/hostname', path.join(place.root, 'link.md'))
    for (const at of [
      'notes',
      'etc/passwd',
      'link.md',
      'notes/A.md',
      'NOTES/b.md',
      '.countersign/x',
    ]) {
      const input = { path: at, content: 'x' }
      await expect(present(writeFile, place.workspace, input), at).rejects.toMatchObject({
        name: 'WorkspaceProblem',
      })
      const result = await execute(writeFile, place.workspace, input)
      expect(result.type, at).toBe('error')
    }
  })

  // Rules: product.md 26
  it('warns of hidden characters, CRLF, trailing spaces and look-alikes, with counts', async () => {
    using place = await workspaceWith({})
    const content = 'a\u202eb\u200b\u200b\r\ntrail \nраypal\nпривет\n'
    const { presentation } = await present(writeFile, place.workspace, { path: 'a', content })
    expect(presentation.warnings).toEqual([
      '1 line with CRLF line ends.',
      '1 line with space at the end.',
      'Hidden characters: 3 (U+202E RIGHT-TO-LEFT OVERRIDE × 1, U+200B ZERO WIDTH SPACE × 2).',
      'Look-alike characters: 2 (U+0440 looks like "p" × 1, U+0430 looks like "a" × 1).',
    ])
    expect(presentation.content).toBe(content)
  })

  // Rules: security.md 35
  it('shows both sides of a change, however different they are', async () => {
    const lines = (seed: string) =>
      Array.from({ length: 30_000 }, (_, index) => `${seed}${(index * 7919) % 104_729}\n`).join('')
    using place = await workspaceWith({ 'big.txt': lines('a') })
    const after = lines('b')
    const call = await present(writeFile, place.workspace, { path: 'big.txt', content: after })
    expect(call.presentation).toMatchObject({
      type: 'diff',
      metadata: { added: 30_000, removed: 30_000 },
    })
    const options = { autoConvertLineEndings: false }
    expect(applyPatch(lines('a'), call.presentation.content, options)).toBe(after)
  })

  // Rules: security.md 35
  it('counts the lines that change in white space alone', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}`)
    using place = await workspaceWith({ 'a.ts': `${lines.join('\n')}\n` })
    const content = `${lines.map((line) => `  ${line}`).join('\n')}\n`
    const call = await present(writeFile, place.workspace, { path: 'a.ts', content })
    expect(call.presentation.type).toBe('diff')
    expect(call.presentation.content).toContain('\n-line 1999\n')
    expect(call.presentation.content).toContain('\n+  line 1999\n')
    expect(call.presentation.metadata).toMatchObject({ whiteSpaceOnly: 2000 })
    expect(call.presentation.warnings).toEqual(['2,000 lines that change in white space alone.'])
    const one = await present(writeFile, place.workspace, {
      path: 'a.ts',
      content: `${lines.join('\n')} \n`,
    })
    expect(one.presentation.warnings).toContain('1 line that changes in white space alone.')
  })

  it('describes a file too large to show, as the old or the new content', async () => {
    using place = await workspaceWith({ 'huge.log': Buffer.alloc(limits.writeBytes + 1, 'x\n') })
    const call = await present(writeFile, place.workspace, { path: 'huge.log', content: 'x\n' })
    expect(call.presentation.type).toBe('binary')
    expect(call.presentation.content).toContain(`${limits.writeBytes + 1} bytes  sha256:`)
    const gone = await present(deleteFile, place.workspace, { path: 'huge.log' })
    expect(gone.presentation.warnings).toHaveLength(1)
    const result = await execute(deleteFile, place.workspace, { path: 'huge.log' }, gone.facts)
    expect(result.type).toBe('output')
  })
})
