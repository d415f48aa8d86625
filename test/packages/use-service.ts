import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startInstallationIn } from '#test/runtime/started-installation.ts'
import type { InstalledService } from './installed-service.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { runProgram } from './packed.ts'

const script = `turns:
  - calls:
      - { tool: say_hello, input: { name: Ada } }
      - { tool: write_file, input: { path: HELLO.md, content: "Hello.\\n" } }
  - text: Done.
`

interface UsedService {
  /** the tool of the project has run */
  readonly isGreeted: boolean
  /** the file that the run wrote */
  readonly written: string
  /** of `start`, after Ctrl-C */
  readonly exitCode: number | null
}

/** What a service answers that works. */
export const usedService: UsedService = { isGreeted: true, written: 'Hello.\n', exitCode: 0 }

/**
 * Makes a project with `init`, starts it, has a run call a tool of the project and write a file,
 * approves both as a colleague, and stops everything. Answers what became of it: see
 * {@link usedService}.
 */
export async function useService(
  { folder }: InstalledService,
  program: readonly [string, ...string[]],
): Promise<UsedService> {
  const [file, ...first] = program
  const run = (...args: string[]) => runProgram(file, [...first, ...args], { cwd: folder })
  await run('init')
  await writeFile(join(folder, 'scripts/assistant.yaml'), script)
  expect((await run('check')).stdout).toContain('is valid')
  let [transcript, exitCode] = ['', null as number | null]
  const started = await startInstallationIn(folder, { program })
  try {
    expect(await (await fetch(started.url)).text()).toContain('<div id="root">')
    const you = await started.signIn('you@example.com')
    const colleague = await started.signIn('colleague@example.com')
    const { body } = await you.post('/v1/runs', { worker: 'assistant', input: 'greet' })
    const run = `/v1/runs/${String(body['id'])}`
    const isAnswered = async (): Promise<boolean> => {
      const { items } = (await colleague.get('/v1/requests?state=pending')).body as unknown as {
        items: { id: string }[]
      }
      for (const { id } of items) {
        const { digest, revision } = (await colleague.get(`/v1/requests/${id}`)).body
        const decision = { decision: 'approve', digest, revision, scope: 'once' }
        expect((await colleague.post(`/v1/requests/${id}/decisions`, decision)).status).toBe(200)
      }
      return (await you.get(run)).body['state'] === 'completed'
    }
    await waitUntil(isAnswered, { withinMs: 120_000, everyMs: 200 })
    transcript = JSON.stringify((await you.get(`${run}/transcript`)).body)
  } finally {
    exitCode = await started.stop()
  }
  const written = await readFile(join(folder, 'HELLO.md'), 'utf8')
  return { isGreeted: transcript.includes('Hello, Ada'), written, exitCode }
}
