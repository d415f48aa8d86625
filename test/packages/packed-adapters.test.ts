import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adapterPackages } from '../../scripts/packages/packages.ts'
import { openPackedProject, runProgram } from './packed.ts'

const checkout = join(import.meta.dirname, '../..')

test('each adapter is usable from its tarball with `import` and `require`, and with its types', async () => {
  await using project = await openPackedProject(['client', ...adapterPackages])
  const { folder, write } = project
  for (const name of [
    'ai',
    'langchain',
    'zod',
    '@langchain',
    '@openai',
    '@ai-sdk',
    '@temporalio',
  ]) {
    await symlink(join(checkout, 'node_modules', name), join(folder, 'node_modules', name))
  }
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
  const config = await write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions, files: ['types.mts'] }),
  )
  const problems = await runProgram(join(checkout, 'node_modules/.bin/tsc'), ['-p', config])
    .then(() => '')
    .catch((error) => error.stdout)
  expect(problems).toBe('')
})
