import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandDesk, testSandbox } from './commands.fixture.ts'

const patient = { timeout: 240_000 }

// Rules: security.md 30
test.skipIf(!testSandbox.works)(
  'a search through tens of thousands of files before and after a command does not block the event loop',
  patient,
  async () => {
    using desk = await commandDesk()
    const folder = path.join(desk.root, 'work/many')
    mkdirSync(folder)
    for (let at = 0; at < 50_000; at += 1) writeFileSync(path.join(folder, String(at)), '')
    await desk.shell('true')
    const [own, all] = [process.threadCpuUsage(), process.cpuUsage()]
    expect(await desk.shell('true')).toMatchObject({ exitCode: 0 })
    const ofLoop = process.threadCpuUsage(own)
    const ofAll = process.cpuUsage(all)
    // Processor time, which no other process of a busy machine adds to.
    expect(ofLoop.user + ofLoop.system).toBeLessThan((ofAll.user + ofAll.system) / 2)
  },
)

// Rules: security.md 8, 30
test.skipIf(!testSandbox.works)(
  'thousands of protected names that a command made are removed, counted, and the first ones named',
  patient,
  async () => {
    using desk = await commandDesk()
    const ran = await desk.shell('for i in $(seq 3000); do mkdir -p d/$i; : > d/$i/.npmrc; done')
    expect(ran.violation).toMatch(/\.npmrc", a protected name, which was removed/)
    expect(ran.violation).toMatch(/more like these/)
    for (const at of [1, 1500, 3000]) {
      expect(existsSync(path.join(desk.root, `work/d/${at}/.npmrc`))).toBe(false)
    }
  },
)
