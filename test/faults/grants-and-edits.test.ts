import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { aWrite, faultProject, type ScriptedTurns } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'

/** The same write, turn after turn; with `contents` another content each time. */
function repeated(path: string, contents: readonly string[]): ScriptedTurns {
  return contents.map((content) => ({ calls: [aWrite(path, content)] }))
}

const same = ['same\n', 'same\n', 'same\n']
const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject({
      same: repeated('notes/same.md', same),
      revoked: repeated('notes/revoked.md', same),
      file: [
        ...repeated('notes/file.md', ['1\n', '2\n', '3\n']),
        { calls: [aWrite('notes/other.md')] },
      ],
      bounded: repeated('notes/bounded.md', same),
      paired: [{ calls: [aWrite('notes/pair-1.md'), aWrite('notes/pair-2.md')] }],
      edited: [{ calls: [aWrite('notes/edited.md', 'of the model\n')] }],
    }),
  ),
)

async function grantsOf(
  runId: string,
): Promise<{ id: string; uses: number; revokedAt: unknown }[]> {
  const { body } = await (await world.as('grace')).get(`/v1/runs/${runId}/grants`)
  return body['items'] as { id: string; uses: number; revokedAt: unknown }[]
}

/** The turn that a run is in when its next request waits. */
async function turnOfWaiting(runId: string): Promise<number | undefined> {
  await world.onlyWaiting(runId)
  const rows = await world.sql<{ turn: number }>(
    `select turn from request where run_id = $1 and state = 'pending'`,
    [runId],
  )
  return rows[0]?.turn
}

// Rules: product.md 10
describe('a grant', () => {
  test('for the run lets the same call pass, is listed with its uses, and ends with the run', async () => {
    const runId = await world.startRun('same')
    await world.decide(await world.onlyWaiting(runId), { scope: 'run' })
    await world.untilRun(runId, 'completed')
    expect((await world.calls(runId)).map((call) => call.execution)).toEqual(
      Array.from({ length: 3 }, () => 'succeeded'),
    )
    expect(await world.sql('select 1 from request where run_id = $1', [runId])).toHaveLength(1)
    expect(await grantsOf(runId)).toMatchObject([{ uses: 2 }])
    const again = await world.startRun('same')
    await world.onlyWaiting(again)
  }, 240_000)

  test('for a path lets other contents of that file pass, and no other file', async () => {
    const runId = await world.startRun('file')
    await world.decide(await world.onlyWaiting(runId), { scope: 'path' })
    expect(await turnOfWaiting(runId)).toBe(4)
    expect(await world.read('notes/file.md')).toBe('3\n')
    await world.decide(await world.onlyWaiting(runId))
    await world.untilRun(runId, 'completed')
  }, 240_000)

  test('with one use asks again after it', async () => {
    const runId = await world.startRun('bounded')
    await world.decide(await world.onlyWaiting(runId), { scope: 'run', grant: { uses: 1 } })
    expect(await turnOfWaiting(runId)).toBe(3)
    await world.decide(await world.onlyWaiting(runId), { decision: 'deny' })
    await world.untilRun(runId, 'completed')
  }, 240_000)

  test('that is revoked while the run goes on counts no more', async () => {
    const runId = await world.startRun('revoked')
    const first = await world.onlyWaiting(runId)
    // While nobody executes, the grant is given and taken back.
    const bringBack = await world.takeDown('temporal-worker')
    await world.decide(first, { scope: 'run' })
    const [grant] = await grantsOf(runId)
    const answer = await (await world.as('grace')).delete(`/v1/grants/${grant?.id}`)
    expect(answer.status).toBe(200)
    await bringBack()
    expect(await turnOfWaiting(runId)).toBe(2)
    expect(await grantsOf(runId)).toMatchObject([{ uses: 0, revokedAt: expect.any(String) }])
    await world.decide(await world.onlyWaiting(runId), { decision: 'deny' })
    expect(await turnOfWaiting(runId)).toBe(3)
  }, 240_000)
})

// Rules: product.md 14
test('an approval that waits for an earlier call can be taken back; the model reads `cancelled` and nothing was written', async () => {
  const runId = await world.startRun('paired')
  const [first, second] = await world.waiting(runId, 2)
  if (first === undefined || second === undefined) throw new Error('two requests wait')
  await world.decide(second)
  const grace = await world.as('grace')
  expect(
    await grace.post(`/v1/requests/${second.id}/revoke`, { reason: 'on second thoughts' }),
  ).toMatchObject({ status: 200 })
  await world.decide(first)
  await world.untilRun(runId, 'completed')
  expect(await world.calls(runId)).toMatchObject([
    { result: 'output', execution: 'succeeded' },
    { result: 'cancelled', execution: 'refused', reason: 'revoked' },
  ])
  expect(await world.read('notes/pair-2.md')).toBeNull()
  expect(await grace.post(`/v1/requests/${first.id}/revoke`, { reason: 'late' })).toMatchObject({
    status: 409,
    body: { code: 'already_started' },
  })
}, 240_000)

// Rules: product.md 11
describe('a changed call', () => {
  test('runs with exactly the bytes of its new revision; the digest of the old one decides nothing; the model is told', async () => {
    const runId = await world.startRun('edited')
    const request = await world.onlyWaiting(runId)
    const linus = await world.as('linus')
    const change = (path: string) =>
      linus.post(`/v1/requests/${request.id}/revisions`, {
        input: { path, content: 'of Linus\n' },
        digest: request.digest,
        revision: request.revision,
      })
    expect(await change('locked/edited.md')).toMatchObject({
      status: 422,
      body: { code: 'policy_blocked' },
    })
    const revised = await change('notes/edited.md')
    expect(revised).toMatchObject({ status: 200, body: { revision: 2 } })
    expect(await world.decide(request)).toMatchObject({
      status: 412,
      body: { code: expect.stringMatching(/^stale_/) },
    })
    expect(await world.decide({ ...request, revision: 2 })).toMatchObject({ status: 412 })
    const digest = revised.body['digest'] as string
    expect(await world.decide({ ...request, digest, revision: 2 })).toMatchObject({ status: 200 })
    await world.untilRun(runId, 'completed')
    expect(await world.read('notes/edited.md')).toBe('of Linus\n')
    expect((await world.told(runId))[0]).toContain('A person ("Linus")')
    expect(await world.audit(runId)).toContain('request.revised')
  }, 240_000)

  test('is asked of its host and answered in contents that are let go: what it says is kept with its request only', async () => {
    const rows = await world.sql<{ encoding: string; bytes: Buffer; released: boolean }>(`
      select encoding, bytes, hash in (select hash from released_content) as released from content
    `)
    const texts = rows.map(({ encoding, bytes, released }) => ({
      text: (encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes).toString('utf8'),
      released,
    }))
    const passed = texts.filter(({ text }) => text.startsWith('{"text":"{\\"to\\":'))
    expect(passed.filter(({ text }) => text.includes('of Linus'))).not.toEqual([])
    expect(passed.filter(({ released }) => !released)).toEqual([])
  })
})
