import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { projectWith, toolProject, toolFile } from './project.fixture.ts'
import { isAlive } from '#test/harness/programs/is-alive.ts'

const within = (timeoutMs: number) => ({ timeoutMs, signal: null })
const run = (tool: string, text = '') =>
  ({ do: 'execute', tool, input: { text }, idempotencyKey: 'key' }) as const

const ended = expect.objectContaining({ name: 'ToolProcessEnded' })

describe('a tool process', () => {
  it('resolves countersign, zod and ai to the service’s copies, from any folder, and passes on the owner’s environment', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile(
        'a',
        `return { text: input.text, idempotencyKey, own: process.env.OWN_TOKEN, secret: process.env.DATABASE_URL ?? null, cwd: process.cwd(), ai: typeof tool, aborted: signal.aborted }`,
      ).replace(
        'import',
        `import { tool } from 'ai'\nimport { shared } from './lib/shared.ts'\nvoid shared\nimport`,
      ),
      'tools/lib/shared.ts': 'export const shared: number = 1',
      'tools/a.test.ts': 'throw new Error("tests are not tools")',
    })
    const { tools, problems } = await project.toolProcess.describe()
    expect(problems).toEqual([])
    expect(tools.map((tool) => [tool.name, tool.file])).toEqual([['a', 'tools/a.ts']])
    expect(await project.toolProcess.request(run('a', 'x'), within(5000))).toEqual({
      type: 'output',
      output: {
        text: 'x',
        idempotencyKey: 'key',
        own: 'owner',
        secret: null,
        cwd: project.projectDir,
        ai: 'function',
        aborted: false,
      },
    })
  })

  it('never sees a key of a model, nor the service’s own secrets', async () => {
    const secrets = [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'OPENAI_COMPATIBLE_API_KEY',
      'OPENAI_COMPATIBLE_BASE_URL',
      'COUNTERSIGN_SIGNING_KEY',
      'COUNTERSIGN_LOG_KEY',
      'DATABASE_URL',
      'TEMPORAL_API_KEY',
      'PGPASSWORD',
    ]
    await using project = await projectWith(
      { 'tools/a.ts': toolFile('a', 'return JSON.stringify(process.env)') },
      { OWN_TOKEN: 'owner', ...Object.fromEntries(secrets.map((name) => [name, 'secret'])) },
    )
    const { output } = (await project.toolProcess.request(run('a'), within(5000))) as {
      output: string
    }
    expect(Object.keys(JSON.parse(output))).toContain('OWN_TOKEN')
    expect(output).not.toContain('secret')
  })

  it('that blocks its event loop delays neither the service nor other calls', async () => {
    await using project = await toolProject({
      block: 'const end = Date.now() + 3000; while (Date.now() < end); return "done"',
      quick: 'return process.pid',
    })
    let beats = 0
    const heart = setInterval(() => (beats += 1), 20)
    const blocked = project.toolProcess.request(run('block'), within(20_000))
    const pids = new Set<unknown>()
    for (let call = 0; call < 10; call += 1) {
      const { output } = (await project.toolProcess.request(run('quick'), within(5000))) as {
        output: unknown
      }
      pids.add(output)
    }
    // Processes are kept for the next query; no more of them than the pool keeps idle.
    expect(pids.size).toBeLessThanOrEqual(4)
    expect(await blocked).toEqual({ type: 'output', output: 'done' })
    clearInterval(heart)
    expect(beats).toBeGreaterThan(50)
  })

  it('that never returns is ended after its time limit, with every process it started', async () => {
    await using project = await toolProject({
      hang: `const { spawn } = await import('node:child_process'); const { writeFileSync } = await import('node:fs')
         const child = spawn('sleep', ['600']); writeFileSync(input.text, JSON.stringify([process.pid, child.pid]))
         process.on('SIGTERM', () => undefined); for (;;);`,
    })
    const file = path.join(project.projectDir, 'pids')
    await expect(project.toolProcess.request(run('hang', file), within(1000))).rejects.toEqual(
      ended,
    )
    for (const pid of JSON.parse(readFileSync(file, 'utf8')) as number[]) {
      await waitUntil(() => !isAlive(pid))
    }
  })

  it('that kills itself, exits or throws an uncaught error fails only its own call', async () => {
    await using project = await toolProject({
      kill: 'process.kill(process.pid, "SIGKILL"); await new Promise(() => {})',
      leave: 'console.error("so long"); process.exit(3)',
      throw_later: 'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})',
      fine: 'return "fine"',
    })
    const { toolProcess } = project
    const all = ['kill', 'leave', 'throw_later'].map((name) =>
      toolProcess.request(run(name), within(20_000)),
    )
    const results = await Promise.allSettled([
      ...all,
      toolProcess.request(run('fine'), within(20_000)),
    ])
    expect(results.map((result) => result.status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(String((results[0] as PromiseRejectedResult).reason)).toMatch(/ended by SIGKILL/)
    expect(String((results[1] as PromiseRejectedResult).reason)).toMatch(/exit code 3.*so long/s)
    expect(await toolProcess.request(run('fine'), within(20_000))).toEqual({
      type: 'output',
      output: 'fine',
    })
  })

  it('that answers and exits at once counts as having answered', async () => {
    await using project = await toolProject({
      last: 'setImmediate(() => process.exit(0)); return "x".repeat(5e6)',
      fine: 'return "fine"',
    })
    for (let round = 0; round < 5; round += 1) {
      const result = await project.toolProcess.request(run('last'), within(20_000))
      expect((result as { output: string }).output).toHaveLength(5e6)
    }
    expect(await project.toolProcess.request(run('fine'), within(20_000))).toMatchObject({
      output: 'fine',
    })
  })

  it('lets a tool that reacts to cancellation answer, and ends one that does not', async () => {
    await using project = await toolProject({
      polite:
        'return await new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped in time")))',
      deaf: 'await new Promise(() => setInterval(() => {}, 1000))',
    })
    const ask = (tool: string) => {
      const controller = new AbortController()
      const answer = project.toolProcess.request(run(tool), {
        timeoutMs: 600_000,
        signal: controller.signal,
      })
      setTimeout(() => controller.abort(), 300)
      return answer
    }
    await project.toolProcess.describe()
    expect(await ask('polite')).toEqual({ type: 'output', output: 'stopped in time' })
    const started = Date.now()
    await expect(ask('deaf')).rejects.toThrow(/cancelled/)
    expect(Date.now() - started).toBeLessThan(120_000)
  })

  it('keeps only results that are JSON and not too large, and says that the tool ran', async () => {
    const bodies = {
      nothing: 'return undefined',
      number: 'return 1',
      bigint: 'return 1n',
      cycle: 'const a = {}; a.a = a; return a',
      function: 'return () => 1',
      map: 'return { rows: new Map([[1, 2]]) }',
      failure: 'return new Error("no such row")',
      huge: 'return "x".repeat(11 * 1024 * 1024)',
      noisy:
        'for (let i = 0; i < 5000; i += 1) process.stdout.write("y".repeat(1000)); return "ok"',
      error: 'throw new Error("no such channel")',
      oddity: 'throw { toString() { throw new Error("never") } }',
    }
    await using project = await toolProject(bodies)
    const of = (name: string) => project.toolProcess.request(run(name), within(30_000))
    expect(await of('nothing')).toEqual({ type: 'output', output: null })
    expect(await of('number')).toEqual({ type: 'output', output: 1 })
    for (const name of ['bigint', 'cycle', 'function', 'map', 'failure']) {
      expect(await of(name)).toMatchObject({ type: 'unusable', problem: /not JSON/ })
    }
    expect(await of('failure')).toMatchObject({ problem: /it holds an error, Error: no such row/ })
    expect(await of('huge')).toMatchObject({
      type: 'unusable',
      problem: /11534338 bytes, more than the 10485760/,
    })
    expect(await of('noisy')).toEqual({ type: 'output', output: 'ok' })
    expect(await of('error')).toEqual({ type: 'error', problem: 'Error: no such channel' })
    expect(await of('oddity')).toMatchObject({ type: 'error' })
  })

  it('in which tools left too much memory or too many handles takes no other query', async () => {
    await using project = await toolProject({
      timers:
        'for (let i = 0; i < 300; i += 1) setInterval(() => undefined, 60_000); return process.pid',
      memory:
        '(globalThis as { kept?: Buffer }).kept = Buffer.alloc(600 * 1024 * 1024, 1); return process.pid',
      clean: 'return process.pid',
    })
    const pidOf = async (name: string): Promise<unknown> => {
      const answer = await project.toolProcess.request(run(name), within(30_000))
      return 'output' in answer ? answer.output : null
    }
    const clean = await pidOf('clean')
    expect(await pidOf('clean')).toBe(clean)
    for (const name of ['timers', 'memory']) {
      const worn = await pidOf(name)
      expect(await pidOf('clean')).not.toBe(worn)
      await waitUntil(() => !isAlive(Number(worn)))
    }
  })

  it('ends when the service is killed, even while a tool blocks its event loop', async () => {
    await using project = await toolProject({
      block:
        'const { writeFileSync } = await import("node:fs"); writeFileSync(input.text, String(process.pid)); for (;;);',
    })
    const file = path.join(project.projectDir, 'pid')
    const module = new URL('tool-process.ts', import.meta.url).href
    const parent = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { openToolProcess } = await import(${JSON.stringify(module)})
       const process_ = await openToolProcess(${JSON.stringify({ projectDir: project.projectDir, toolFiles: project.toolFiles, environment: {} })})
       await process_.request({ do: 'execute', tool: 'block', input: { text: ${JSON.stringify(file)} }, idempotencyKey: '' }, { timeoutMs: 60000, signal: null })`,
    ])
    await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '')
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await waitUntil(() => !isAlive(pid))
  })

  it('accepts no message that a tool forges in its protocol', async () => {
    await using project = await toolProject({
      flood:
        'const { writeSync } = await import("node:fs"); for (;;) writeSync(4, "x".repeat(1 << 20))',
      babble: '(await import("node:fs")).writeSync(4, "{no json\\n"); for (;;);',
    })
    await expect(project.toolProcess.request(run('flood'), within(30_000))).rejects.toEqual(ended)
    await expect(project.toolProcess.request(run('babble'), within(30_000))).rejects.toEqual(ended)
  })
})
