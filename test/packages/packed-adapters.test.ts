import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adapterPackages } from '../../scripts/packages/packages.ts'
import { openPackedProject, runProgram, type PackedProject } from './packed.ts'

const checkout = join(import.meta.dirname, '../..')

test('each adapter is usable from its tarball with `import` and `require`, and with its types', async () => {
  await using project = await openPackedProject(['client', ...adapterPackages])
  const { write } = project
  await linkFrameworks(project)
  const names = [...adapterPackages].map((name) => `@countersign/${name}`)
  const print = `console.log(modules.flatMap((one) => Object.keys(one)).filter((n) => n !== 'default').sort().join(' '))`
  const imports = names.map((name) => `await import('${name}')`).join(', ')
  const requires = names.map((name) => `require('${name}')`).join(', ')
  for (const file of [
    await write('a.mjs', `const modules = [${imports}]\n${print}`),
    await write('b.cjs', `const modules = [${requires}]\n${print}`),
  ]) {
    const { stdout } = await runProgram(process.execPath, [file])
    const words =
      'answerInterrupts countersignApproval countersignMiddleware countersignTool createCountersignActivities handleCallback resolveInterruptions resumeApprovals'
    expect(stdout.trim()).toBe(words)
  }
  await write(
    'types.mts',
    `import { createClient } from '@countersign/client'
import { countersignApproval, resumeApprovals } from '@countersign/ai-sdk'
import { countersignMiddleware } from '@countersign/langchain'
import { countersignTool } from '@countersign/mastra'
import { createCountersignActivities } from '@countersign/temporal'
import { withApproval } from '@countersign/temporal/workflow'
import { resolveInterruptions } from '@countersign/openai-agents'
import { generateText, tool } from 'ai'
import { createAgent } from 'langchain'
const client = createClient({ url: 'http://localhost:4400', apiKey: 'cs_key' })
const model = 'a/model'
const tools = { deploy: tool({ inputSchema: undefined as never, execute: async () => 'x' }) }
const next = await resumeApprovals([], client, { wait: 30 })
if (next !== null) {
  await generateText({ model, tools, messages: next, ...countersignApproval(client) })
  await generateText({ model, tools, messages: next, toolApproval: countersignApproval(client) })
}
createAgent({ model, tools: [], middleware: [countersignMiddleware(client)] })
const waiting = countersignTool(client, { id: 'deploy', execute: async (input: { to: string }) => input.to })
createCountersignActivities(client, { callbackUrl: 'https://ops.example.com' })
export const order = (): Promise<string> => withApproval({ tool: 'refund', input: { order: '1' } }, async (input) => input.order)
export const deployed: Promise<string> = waiting.execute({ to: 'production' })
export const waits: Promise<readonly { number: number }[]> = resolveInterruptions(undefined as never, client)
`,
  )
  expect(await problemsIn(project, ['types.mts'])).toBe('')
})

/** What the example of each README leaves to its reader. */
const left: Readonly<Record<string, string>> = {
  client: `declare function deploy(input: unknown): Promise<void>`,
  'ai-sdk': `declare const model: import('ai').LanguageModel
declare const tools: import('ai').ToolSet
declare const messages: import('ai').ModelMessage[]`,
  langchain: `declare const model: string, tools: [], input: { messages: [] }, config: { configurable: object }
declare const checkpointer: import('@langchain/langgraph').MemorySaver`,
  'openai-agents': `declare const agent: import('@openai/agents').Agent
declare function store(text: string): Promise<void>
declare function load(): Promise<string>`,
  temporal: `declare function refund(input: object): Promise<string>
declare const connection: import('@temporalio/worker').NativeConnection
declare const taskQueue: string, workflowsPath: string, activities: object`,
}

test.each(Object.entries(left))(
  'the first steps in the README of %s have correct types as they stand',
  async (name, context) => {
    await using project = await openPackedProject([
      'client',
      ...adapterPackages.filter((one) => one === name),
    ])
    await linkFrameworks(project)
    const readme = await readFile(join(checkout, 'packages', name, 'README.md'), 'utf8')
    const steps = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code)
    expect(steps.length).toBeGreaterThan(0)
    // What follows the first steps of the client goes on with names of its own.
    const code = name === 'client' ? steps[0] : steps.join('\n')
    await project.write('readme.mts', `${context}\n${code}`)
    expect(await problemsIn(project, ['readme.mts'])).toBe('')
  },
)

/** Packages of this checkout, by the name under which a program imports them. */
const frameworks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['ai', 'langchain', 'zod', '@langchain', '@ai-sdk', '@temporalio'].map((name) => [name, name]),
  ),
  '@openai/agents-core': '@openai/agents-core',
  // This package adds a model to the other, and exports all of it.
  '@openai/agents': '@openai/agents-core',
}

async function linkFrameworks({ folder }: PackedProject): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@openai'))
  for (const [name, target] of Object.entries(frameworks))
    await symlink(join(checkout, 'node_modules', target), join(modules, name))
}

/** What the compiler says of files of a project; empty: they have correct types. */
async function problemsIn(project: PackedProject, files: readonly string[]): Promise<string> {
  const compilerOptions = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'esnext.disposable'],
    types: ['node'],
    typeRoots: [join(checkout, 'node_modules/@types')],
  }
  const config = await project.write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
  return runProgram(join(checkout, 'node_modules/.bin/tsc'), ['-p', config])
    .then(() => '')
    .catch((error) => error.stdout as string)
}
