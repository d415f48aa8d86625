import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processEnvironment } from '#runtime/environment.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { ContractDesk } from '../contract/contract-desk.ts'
import { contractConfig, writerTo } from '../contract/contract-project.ts'
import { launchBrowser } from '../harness/browser.ts'
import { actsOutput, actsProgram, openPackedProject, runProgram } from '../packages/packed.ts'

/** What programs of other people run under, as npm has it. Kept in the cache between runs. */
const packages = {
  bun: '1.4.5',
  deno: '2.9.6',
  'node-20': 'npm:node@20.20.2',
  'node-22': 'npm:node@22.23.3',
}
const folder = join(cacheFolder(processEnvironment()), 'runtimes')
const bin = join(folder, 'node_modules')
const runtimes = [
  ['Node 20', join(bin, 'node-20/bin/node'), []],
  ['Node 22', join(bin, 'node-22/bin/node'), []],
  ['Bun', join(bin, '.bin/bun'), []],
  [
    'Deno',
    join(bin, '.bin/deno'),
    ['run', '--allow-env', '--allow-net', '--node-modules-dir=manual'],
  ],
] as const

const imported = `import { createClient, CountersignError } from '@countersign/client'`
let desk: ContractDesk
let environment: Record<string, string>

beforeAll(async () => {
  const wanted = JSON.stringify({ private: true, dependencies: packages })
  if (runtimes.some(([, file]) => !existsSync(file))) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), wanted)
    await runProgram('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
  }
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
