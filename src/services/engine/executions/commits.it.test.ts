import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'

const shell = `shell:
  default: ask
  rules:
    - { pattern: "git commit --allow-empty -m step", approval: preApproved }
`
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

function git(...words: string[]): string {
  const cwd = join(desk.root, 'scratch')
  const env = { PATH: process.env['PATH'], HOME: desk.root, GIT_CONFIG_NOSYSTEM: '1' }
  return spawnSync('git', words, { cwd, env, encoding: 'utf8' }).stdout
}

beforeAll(async () => {
  await mkdir(join(desk.root, 'scratch'))
  await desk.activate({ 'workers/scribe.md': deskWorker.replace('zones:', `${shell}zones:`) })
  git('init', '-q', '-b', 'main', '.')
})
beforeEach(() => {
  desk.steps.length = 0
})

/** A run commits with this message, Grace approves, and the newest commit is returned. */
async function committed(message: string) {
  const input = { file: 'git', args: ['commit', '--allow-empty', '-m', message], cwd: 'scratch' }
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, { tool: 'exec', input })
  if (call.verdict === 'ask') await desk.decide(desk.people.grace, call.requestId)
  await desk.execute(call.id)
  const [done] = await desk.calls(runId, 1)
  expect(done?.text).toContain('Exit code 0.')
  const [author, committer, body = ''] = git('log', '-1', '--format=%an <%ae>|%cn <%ce>|%B').split(
    '|',
  )
  return { runId, requestId: call.requestId, author, committer, body: body.trim() }
}

// Rules: product.md 36
describe.skipIf(!testSandbox.works)('a commit of a run', () => {
  test('names the worker and who started it, the request that allowed it, and who approved that', async () => {
    const commit = await committed('asked')
    expect(commit).toMatchObject({
      author: 'scribe for Ada <worker@countersign.localhost>',
      committer: 'Countersign <countersign@countersign.localhost>',
      body: `asked\n\nCountersign-Request: ${commit.requestId}\nApproved-by: Grace <grace@example.com>`,
    })
  })

  test('that nobody was asked about names its run alone', async () => {
    const commit = await committed('step')
    expect(commit.body).toBe(`step\n\nCountersign-Run: ${commit.runId}`)
  })

  test('carries the name from countersign.yaml instead', async () => {
    const config = await desk.read('countersign.yaml')
    const named = `${config}commit: { name: Acme agents, email: agents@example.com }\n`
    await desk.activate({ 'countersign.yaml': named })
    expect(await committed('named')).toMatchObject({
      author: 'Acme agents <agents@example.com>',
      committer: 'Acme agents <agents@example.com>',
    })
  })
})
