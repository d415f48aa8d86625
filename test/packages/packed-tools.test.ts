import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { customTypes } from '#domain/tools/presentation.ts'
import type { Approval, Risk, Scope } from '#domain/policy/verdict.ts'
import type * as Tools from '#program-tools'
import { openPackedProject, runProgram } from './packed.ts'

const checkout = join(import.meta.dirname, '../..')
const project = disposeAfterTests(await openPackedProject(['tools'], ['zod']))

test('the types of the package are those of the service, of which it imports nothing', () => {
  expectTypeOf<Tools.Approval>().toEqualTypeOf<Approval>()
  expectTypeOf<Tools.Risk>().toEqualTypeOf<Risk>()
  expectTypeOf<Tools.Scope>().toExtend<Scope>()
  expectTypeOf<Tools.JsonObject>().toEqualTypeOf<JsonObject>()
  expectTypeOf<Tools.CustomPresentation['type']>().toEqualTypeOf<(typeof customTypes)[number]>()
})

test('a project folder of `init` is type-checked with the package alone, and mistakes are found', async () => {
  const run = (program: string, args: readonly string[]) =>
    runProgram(program, args, { cwd: project.folder })
  await run(process.execPath, [join(checkout, 'src/cli/main.ts'), 'init'])
  expect(await readdir(join(project.folder, 'node_modules'))).not.toContain('countersign')
  const check = () =>
    run(join(checkout, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.json'])
      .then(() => '')
      .catch((error) => error.stdout as string)
  expect(await check()).toBe('')
  const tool = await readFile(join(project.folder, 'tools/say-hello.ts'), 'utf8')
  await project.write('tools/wrong.ts', tool.replace('input.name', 'input.nam'))
  expect(await check()).toMatch(/wrong\.ts.*Property 'nam' does not exist/)
  await project.write('tools/wrong.ts', tool.replace("'ask'", "'asks'"))
  expect(await check()).toMatch(/wrong\.ts.*"asks"/)
})

test('the schemas that a project of `init` names are in the package', async () => {
  for (const file of ['countersign.yaml', 'workers/assistant.md', 'scripts/assistant.yaml']) {
    const text = await readFile(join(checkout, 'examples/starter', file), 'utf8')
    const named = /\$schema=(\S+)/.exec(text)?.[1] ?? ''
    const at = join(project.folder, file, '..', named)
    expect(JSON.parse(await readFile(at, 'utf8'))).toHaveProperty('$schema')
  }
})

test('`import` and `require` give tools that the service takes for its own', async () => {
  const make = 'defineTool({ name: "a", description: "b", inputSchema: {}, execute() {} })'
  const print = `console.log(Symbol.for('countersign.tool') in ${make}, Object.keys(tools).sort().join())`
  const imported = `import * as tools from '@countersign/tools'\nconst { defineTool } = tools\n${print}`
  const required = `const tools = require('@countersign/tools')\nconst { defineTool } = tools\n${print}`
  for (const file of [
    await project.write('a.mjs', imported),
    await project.write('b.cjs', required),
  ]) {
    const { stdout } = await runProgram(process.execPath, [file])
    expect(stdout.trim()).toBe('true defineTool,isDefinedTool')
  }
})
