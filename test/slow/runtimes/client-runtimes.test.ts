import { randomUUID } from 'node:crypto'
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
  await desk.decideForProgram(await desk.pendingOfProgram('release'), 'approve')
  await desk.decideForProgram(await desk.pendingOfProgram('release'), 'deny')
  expect(JSON.parse((await acts).stdout)).toEqual(actsOutput)
})

test('a page asks, waits, takes and tells, from the origin of the service', async () => {
  await using project = await openPackedProject()
  const page = `globalThis.process = { env: globalThis.settings }\n${imported}${actsProgram}`
  const entry = await project.write('page.js', page)
  const built = await build({
    root: project.folder,
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['es'], fileName: 'page' } },
  })
  const [output] = Array.isArray(built) ? built : [built]
  if (output === undefined || !('output' in output)) throw new Error('nothing was built')
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
  await tab.addScriptTag({ content: output.output[0].code, type: 'module' })
  await desk.decideForProgram(await desk.pendingOfProgram('release'), 'approve')
  await desk.decideForProgram(await desk.pendingOfProgram('release'), 'deny')
  expect(JSON.parse(await printed)).toEqual(actsOutput)
})
