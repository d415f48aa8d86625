import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { closeRun } from '../engine/lifecycle/close-run.ts'
import { messageRun } from '../runs/message-run.ts'
import { useTurnDesk, desk, aWrite, runRow, say } from '../engine/turns/turns.fixture.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'

useTurnDesk()

async function peopleBehind(requestId: string | null | undefined) {
  return rowsOf(
    desk.database.db,
    'request_principal',
    { request_id: requestId ?? '' },
    'person_id',
    'why',
  )
}

describe('messages', () => {
  test('posted during the last turn are read, not lost', async () => {
    const runId = await desk.start()
    desk.say(async () => {
      await say(runId, 'One more thing.')
      return { text: 'Done.', calls: [], usage: { inputTokens: 1, outputTokens: 1 } }
    })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'finished' })
    expect(await closeRun(desk.api, { runId })).toEqual({ kind: 'continue' })
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests.at(-1)?.messages.at(-1)).toEqual({
      role: 'user',
      text: 'One more thing.',
    })
    expect(await closeRun(desk.api, { runId })).toEqual({ kind: 'closed' })
    expect(await runRow(runId)).toMatchObject({ state: 'completed', output: 'Done.' })
    await expect(say(runId, 'Too late.')).rejects.toMatchObject({ code: 'run_ended' })
  })

  test('that arrive while the run closes: each is either read or refused', async () => {
    for (let round = 0; round < 20; round += 1) {
      const runId = await desk.start()
      const [posted, taken] = await Promise.allSettled([say(runId, 'Wait!'), desk.turn(runId, 1)])
      const went = taken.status === 'fulfilled' ? taken.value.kind : 'failed'
      const messages = desk.modelRequests.at(-1)?.messages ?? []
      const hasMessage = messages.some((one) => one.role === 'user' && one.text === 'Wait!')
      if (posted.status === 'rejected') expect([went, hasMessage]).toEqual(['ended', false])
      else expect(went).toBe(hasMessage ? 'ended' : 'finished')
    }
  })

  test('put their author behind the requests that follow', async () => {
    const runId = await desk.start()
    await messageRun(desk.api, desk.people.olga.caller, { runId, text: 'Write it.' })
    const call = await proposeCall(desk, runId, 1, aWrite)
    const behind = await peopleBehind(call.requestId)
    expect(behind).toEqual(
      expect.arrayContaining([
        { person_id: desk.people.ada.id, why: 'started' },
        { person_id: desk.people.olga.id, why: 'messaged' },
      ]),
    )
  })

  // Rules: security.md 29
  test('keep their author behind the requests that follow when the row is deleted or given to another person', async () => {
    const { olga, ada } = desk.people
    const forgeries = [
      (id: string) => sql`delete from message where id = ${id}`,
      (id: string) =>
        sql`update message set author = ${JSON.stringify(ada.caller.actor)}::jsonb where id = ${id}`,
    ]
    for (const forge of forgeries) {
      const runId = await desk.start()
      const message = { runId, text: 'Write it.' }
      const { messageId } = await messageRun(desk.api, olga.caller, message)
      await forge(messageId).execute(desk.database.db)
      const call = await proposeCall(desk, runId, 1, aWrite)
      expect(await peopleBehind(call.requestId)).toContainEqual({
        person_id: olga.id,
        why: 'messaged',
      })
    }
  })
})
