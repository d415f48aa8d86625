import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectWith, toolFile } from './project.fixture.ts'

const within = (timeoutMs: number) => ({ timeoutMs, signal: null })
const run = (tool: string) =>
  ({ do: 'execute', tool, input: { text: '' }, idempotencyKey: 'key' }) as const

describe('the files of a version', () => {
  it('are the ones that run: a changed file is refused with that sentence, before any of its code runs', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', 'return 1'),
      'tools/lib/b.ts': 'export const b = 1',
    })
    expect(await project.toolProcess.request(run('a'), within(5000))).toMatchObject({ output: 1 })
    const sentence = /lib\/b\.ts on this host is not the one of the policy version in force/
    project.put('tools/lib/b.ts', 'export const b = 2')
    await expect(project.toolProcess.request(run('a'), within(5000))).rejects.toThrow(sentence)
    project.put('tools/lib/b.ts', 'export const b = 1')
    expect(await project.toolProcess.request(run('a'), within(5000))).toMatchObject({ output: 1 })
  })

  it('are not waited for where a pipe is in place of one: the tool is refused', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', 'return 1'),
      'tools/lib/b.ts': 'export const b = 1',
      'tools/c.ts': toolFile('c', 'return 1'),
    })
    const at = (file: string): string => path.join(project.projectDir, file)
    rmSync(at('tools/c.ts'))
    execFileSync('mkfifo', [at('tools/c.ts')])
    const { tools, problems } = await project.toolProcess.describe()
    expect(tools.map((tool) => tool.name)).toEqual(['a'])
    expect(problems).toMatchObject([{ file: 'tools/c.ts', changed: true }])
    rmSync(at('tools/c.ts'))
    project.put('tools/c.ts', toolFile('c', 'return 1'))
    rmSync(at('tools/lib/b.ts'))
    execFileSync('mkfifo', [at('tools/lib/b.ts')])
    await expect(project.toolProcess.request(run('a'), within(5000))).rejects.toThrow(
      /lib\/b\.ts on this host is not the one of the policy version in force/,
    )
  })

  it('are never loaded with other bytes, also when only the loader can detect the change', async () => {
    await using project = await projectWith({
      'tools/a.ts': `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('z.ts', import.meta.url), 'globalThis.evil = 1')\n${toolFile('a', 'return globalThis.evil ?? null')}`,
      'tools/z.ts': toolFile('z', 'return 1'),
    })
    const { tools, problems } = await project.toolProcess.describe()
    expect(tools.map((tool) => tool.name)).toEqual(['a'])
    expect(problems).toMatchObject([{ file: 'tools/z.ts', changed: true }])
  })

  it('may import what lies below tools/ and packages, but no other file', async () => {
    await using project = await projectWith({
      'tools/a.ts': `import '../lib/outside.ts'\n${toolFile('a', 'return 1')}`,
      'tools/b.ts': `import pack from 'pack'\n${toolFile('b', 'return pack')}`,
      'lib/outside.ts': 'export {}',
      'node_modules/pack/package.json': '{"name":"pack","main":"index.js"}',
      'node_modules/pack/index.js': 'module.exports = 42',
    })
    const { tools, problems } = await project.toolProcess.describe()
    expect(tools.map((tool) => tool.name)).toEqual(['b'])
    expect(problems[0]?.problem).toMatch(/lib\/outside\.ts is not part of the policy version/)
    expect(await project.toolProcess.request(run('b'), within(5000))).toMatchObject({ output: 42 })
  })

  it('may not be links to files elsewhere', async () => {
    await using project = await projectWith({ 'tools/a.ts': toolFile('a', 'return 1'), 'b.ts': '' })
    project.put('b.ts', readFileSync(path.join(project.projectDir, 'tools/a.ts'), 'utf8'))
    rmSync(path.join(project.projectDir, 'tools/a.ts'))
    symlinkSync('../b.ts', path.join(project.projectDir, 'tools/a.ts'))
    const { tools, problems } = await project.toolProcess.describe()
    expect(tools).toEqual([])
    expect(problems[0]?.problem).toMatch(/in regular files/)
  })
})

describe('a tool file that fails to load', () => {
  it('is a problem with file and line, and leaves the others alone', async () => {
    await using project = await projectWith({
      'tools/a-fine.ts': toolFile('fine', 'return 1'),
      'tools/b-syntax.ts': `const a = 1\nconst b = = 2\n`,
      'tools/c-throws.ts': `const a = 1\n\nthrow new Error('at start')\n`,
      'tools/d-enum.ts': `export const a = 1\nenum B { C }\n`,
      'tools/e-import.ts': `import 'not-a-package'\n`,
      'tools/f-empty.ts': `export const a = 1\n`,
      'tools/g-double.ts': toolFile('fine', 'return 2'),
      'tools/h-builtin.ts': toolFile('write_file', 'return 2'),
      'tools/i-name.ts': toolFile('no spaces', 'return 2'),
      'tools/j-shape.ts': toolFile('shape', 'return 2').replace('execute: async', 'run: async'),
    })
    const { tools, problems } = await project.toolProcess.describe()
    expect(tools.map((tool) => tool.name)).toEqual(['fine'])
    const found = Object.fromEntries(problems.map((problem) => [problem.file, problem]))
    expect(Object.keys(found)).toHaveLength(9)
    expect(found['tools/b-syntax.ts']).toMatchObject({ line: 2 })
    expect(found['tools/c-throws.ts']).toMatchObject({ line: 3, problem: 'Error: at start' })
    expect(found['tools/d-enum.ts']).toMatchObject({ line: 2 })
    expect(found['tools/e-import.ts']).toMatchObject({ line: 1, problem: /not-a-package/ })
    expect(found['tools/f-empty.ts']).toMatchObject({ line: 1, problem: /exports no tool/ })
    expect(found['tools/g-double.ts']?.problem).toMatch(/already defined in tools\/a-fine\.ts/)
    expect(found['tools/h-builtin.ts']?.problem).toMatch(/built-in/)
    expect(found['tools/i-name.ts']?.problem).toMatch(/not the name of a tool/)
    expect(found['tools/j-shape.ts']).toMatchObject({
      line: 3,
      problem: 'TypeError: execute: must be a function',
    })
  })
})
