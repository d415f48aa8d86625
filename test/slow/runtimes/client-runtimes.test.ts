import { randomUUID } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ContractDesk } from '../../contract/contract-desk.ts'
import { contractConfig, writerTo } from '../../contract/contract-project.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { actsOutput, actsProgram, openPackedProject, runProgram } from '../../packages/packed.ts'
import { installRuntimes, runtimeFile } from './runtimes.ts'

const runtimes = [
  ['Node 20', runtimeFile('node-20/bin/node'), []],
  ['Node 22', runtimeFile('node-22/bin/node'), []],
  ['Bun', runtimeFile('.bin/bun'), []],
  [
    'Deno',
    runtimeFile('.bin/deno'),
    ['run', '--allow-env', '--allow-net', '--node-modules-dir=manual'],
  ],
] as const

const imported = `import { createClient, CountersignError } from '@countersign/client'`
let desk: ContractDesk
let environment: Record<string, string>

beforeAll(async () => {
  await installRuntimes()
  desk = await ContractDesk.open({ 'countersign.yaml': contractConfig, ...writerTo('plain') })
  const scopes = ['requests:write', 'requests:read']
  const made = await (await desk.as('alan')).post('/v1/keys', { name: 'robot', scopes })
  environment = {
    COUNTERSIGN_URL: desk.installation.url,
    COUNTERSIGN_API_KEY: String(made.body['key']),
  }
})
afterAll(() => desk?.[Symbol.asyncDispose]())

test.each(runtimes)('a program under %s asks, waits, takes and tells', async (_, file, args) => {
  await using project = await openPackedProject()
  const program = await project.write('acts.mjs', imported + actsProgram)
  const acts = runProgram(file, [...args, program], {
    cwd: project.folder,
    env: { ...process.env, ...environment, EXTERNAL_ID: randomUUID() },
  })
  // Read when both requests are decided.
  acts.catch(() => undefined)
  await decideBoth()
  expect(JSON.parse((await acts).stdout)).toEqual(actsOutput)
})

/** The program as one script, which takes its settings from the global `settings`. */
async function oneScript(): Promise<string> {
  await using project = await openPackedProject()
  const program = `globalThis.process = { env: globalThis.settings }\n${imported}${actsProgram}`
  const entry = await project.write('program.js', program)
  const built = await build({
    root: project.folder,
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['es'], fileName: 'program' } },
  })
  const [output] = Array.isArray(built) ? built : [built]
  if (output === undefined || !('output' in output)) throw new Error('nothing was built')
  return output.output[0].code
}

async function decideBoth(): Promise<void> {
  await desk.decideForProgram(await desk.pendingOfProgram('release'), 'approve')
  await desk.decideForProgram(await desk.pendingOfProgram('release'), 'deny')
}

test('a page asks, waits, takes and tells, from the origin of the service', async () => {
  const content = await oneScript()
  await using browser = await launchBrowser()
  const tab = await (await browser.newContext({ bypassCSP: true })).newPage()
  const printed = new Promise<string>((resolve) =>
    tab.on('console', (message) => message.type() === 'log' && resolve(message.text())),
  )
  await tab.goto(`${environment['COUNTERSIGN_URL']}/healthz`)
  await tab.evaluate((settings) => Object.assign(globalThis, { settings }), {
    ...environment,
    EXTERNAL_ID: randomUUID(),
  })
  await tab.addScriptTag({ content, type: 'module' })
  await decideBoth()
  expect(JSON.parse(await printed)).toEqual(actsOutput)
})

/** Of the globals that edge runtimes have in common (ECMA-429), those that a client could use. */
const edgeGlobals = Object.fromEntries(
  'AbortController AbortSignal DOMException Event EventTarget Headers ReadableStream Request Response TextDecoder TextEncoder URL URLSearchParams atob btoa clearTimeout crypto fetch performance queueMicrotask setTimeout structuredClone'
    .split(' ')
    .map((name) => [name, Reflect.get(globalThis, name)]),
)

test('a program asks, waits, takes and tells with no global but those of edge runtimes, which compile no text', async () => {
  const printed = Promise.withResolvers<string>()
  const settings = { ...environment, EXTERNAL_ID: randomUUID() }
  const context = createContext(
    { ...edgeGlobals, settings, console: { log: printed.resolve } },
    { codeGeneration: { strings: false, wasm: false } },
  )
  expect(() => runInContext('new Function("return 1")', context)).toThrow('disallowed')
  expect(runInContext('[typeof require, typeof Buffer]', context).join()).toBe(
    'undefined,undefined',
  )
  runInContext(await oneScript(), context)
  await decideBoth()
  expect(JSON.parse(await printed.promise)).toEqual(actsOutput)
})
