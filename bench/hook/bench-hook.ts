import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildHook } from '../../scripts/packages/build-hook.ts'
import { percentiles, round } from '../figures.ts'

/** The number of rounds; the first one warms up and is not counted. */
const rounds = 41
const event = JSON.stringify({
  session_id: 's',
  hook_event_name: 'PreToolUse',
  tool_name: 'TodoWrite',
  tool_input: {},
})

/** Writes the milliseconds of processor time that the process has taken to its third stream. */
const preload = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(3, String((user + system) / 1000))
})`

/**
 * Measures the processor time of `countersign-hook` for a harmless call, of which it asks nobody,
 * beside a program of Node that is empty.
 */
export async function benchHook(): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    await buildHook(folder)
    const [usage, empty] = [join(folder, 'usage.cjs'), join(folder, 'empty.mjs')]
    await writeFile(usage, preload)
    await writeFile(empty, '')
    const hook = join(folder, 'dist/countersign-hook.mjs')
    const [mine, bare]: [number[], number[]] = [[], []]
    for (let count = 0; count < rounds; count += 1) {
      mine.push(spent(usage, hook))
      bare.push(spent(usage, empty))
    }
    const cpuMs = percentiles(mine.slice(1))
    const floorCpuMs = percentiles(bare.slice(1))
    return { cpuMs, floorCpuMs, cpuRatio: round(cpuMs.p50 / floorCpuMs.p50) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function spent(usage: string, program: string): number {
  const { output, status } = spawnSync(process.execPath, ['-r', usage, program, 'claude-code'], {
    input: event,
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
  })
  if (status !== 0) throw new Error(`${program} ended with ${status}`)
  return Number(output[3])
}
