import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { parse } from 'yaml'
import { newFolder } from '../../harness/new-folder.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createProgram } from '../program.ts'
import { createTestApi, type Reply } from '../test-api.ts'
import { decideAsShown } from '../requests/as-shown.ts'

const folder = join(import.meta.dirname, '../../../packages/github-gate')
const commit = 'a1'.repeat(20)
let run = 700

const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)
const grace = await api.signIn(api.people.grace)
const apiKey = (await createProgram(api, ada)).key
const temporary = newFolder('gate-')

interface Step {
  readonly exitCode: number
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
}

/** Runs the action's step as a runner does: by the file, with its inputs and defaults. */
async function step(
  inputs: Record<string, string>,
  runner: Record<string, string> = {},
): Promise<Step> {
  const action = parse(await readFile(join(folder, 'action.yml'), 'utf8'))
  const [only] = action.runs.steps
  const output = join(temporary, `output-${Math.random()}`)
  await writeFile(output, '')
  const variables: Record<string, string> = { url: api.url, 'api-key': apiKey, ...inputs }
  const valueOf = (text: string) =>
    text.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, name: string) => {
      const value = variables[name] ?? action.inputs[name].default
      return value === '${{ github.sha }}' ? commit : value
    })
  const env = Object.entries<string>(only.env).map(([name, text]) => [name, valueOf(text)])
  const { promise, resolve } = Promise.withResolvers<Omit<Step, 'outputs'>>()
  const options = {
    env: {
      PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
      GITHUB_ACTION_PATH: folder,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_RUN_ID: String(run),
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_ACTOR: 'octocat',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_JOB: 'deploy',
      ...Object.fromEntries(env),
      ...runner,
    },
  }
  execFile('bash', ['-c', only.run], options, (error, stdout, stderr) =>
    resolve({ exitCode: Number(error?.code ?? 0), log: stdout + stderr }),
  )
  const ended = await promise
  const lines = (await readFile(output, 'utf8')).trim().split('\n')
  return { ...ended, outputs: Object.fromEntries(lines.map((line) => line.split('=', 2))) }
}

const read = async (id: string | undefined) => (await grace.get(`/v1/requests/${id}`)).body
const newest = async (): Promise<Reply['body']> =>
  (await grace.get('/v1/requests?state=pending')).body.items.find(
    (item: { tool: string }) => item.tool === 'github_deploy',
  )
const decide = async (id: string, decision: string, by = grace): Promise<Reply> =>
  decideAsShown(by, await read(id), decision)

test('a step waits until another person approves this commit for this environment, and takes the permit once', async () => {
  run += 1
  const waiting = step({ environment: 'production', 'on-behalf-of': 'grace@example.com' })
  await waitUntil(async () => (await newest()) !== undefined)
  const { id } = await newest()
  expect((await decide(id, 'approve')).body.code).toBe('not_eligible')
  const linus = await api.signIn(api.people.linus)
  expect(await decide(id, 'approve', linus)).toMatchObject({ status: 200 })
  const done = await waiting
  expect(done, done.log).toMatchObject({ exitCode: 0, outputs: { request: id, state: 'approved' } })
  const request = await read(id)
  expect(request.input).toMatchObject({ commit, environment: 'production', actor: 'octocat' })
  expect(request.external.consumed).not.toBeNull()
  expect(done.outputs['permit']).toMatch(/^[0-9a-f-]{36}$/)
  const result = await step({ request: id, outcome: 'success' })
  expect(result, result.log).toMatchObject({ exitCode: 0 })
  expect((await read(id)).external.outcome.state).toBe('succeeded')
  // The permit is used: running the job again asks again.
  const again = await step({ environment: 'production', wait: '0' }, { GITHUB_RUN_ATTEMPT: '2' })
  expect(again.exitCode).toBe(1)
  expect(again.outputs['request']).not.toBe(id)
})

test('a step that does not wait fails, and a re-run of the job goes on with the same request', async () => {
  run += 1
  const first = await step({ environment: 'staging', wait: '0' })
  expect(first).toMatchObject({ exitCode: 1, outputs: { state: 'pending' } })
  expect(first.log).toContain(`::error::Nobody has decided #${first.outputs['number']} yet`)
  await decide(first.outputs['request'] ?? '', 'approve')
  const second = await step({ environment: 'staging', wait: '0' }, { GITHUB_RUN_ATTEMPT: '2' })
  expect(second).toMatchObject({ exitCode: 0, outputs: { request: first.outputs['request'] } })
})

test('a step lets nothing go on that was denied, has another key, or names no whole commit', async () => {
  run += 1
  const { outputs } = await step({
    environment: 'production\n::set-env name=PATH::/tmp',
    wait: '0',
  })
  await decide(outputs['request'] ?? '', 'deny')
  const denied = await step({ environment: 'production\n::set-env name=PATH::/tmp', wait: '0' })
  expect(denied).toMatchObject({ exitCode: 1, outputs: { state: 'denied' } })
  for (const inputs of [
    { 'api-key': 'cs_0123456789abcdef_nobodys' },
    { commit: 'main' },
    { environment: '' },
  ]) {
    const refused = await step({ environment: 'production', wait: '0', ...inputs })
    expect(refused.exitCode).toBe(1)
    expect(refused.outputs['permit']).toBeUndefined()
    expect(refused.log.split('\n').filter((line) => /^::(?!error::)/.test(line))).toEqual([])
  }
})
