import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { judgeCallActivity } from '#activities/judge-call.ts'
import { recordForgedMessage } from '#services/refusals/record-forged-message.ts'
import { recordRepeats } from '#services/refusals/record-refusal.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { putContent } from '#store/content/content.ts'
import { putMessage } from '#store/content/sealed-message.ts'
import type { JudgeAnswer, JudgeInput } from '#workflows/activity-port.ts'
import { askHost } from './ask-host.ts'
import type { TemporalClient } from './temporal-client.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { db, policies, seals } = desk.api
const judgeCall = judgeCallActivity(desk.worker)
const taskQueue = 'test'

/** The API, with a Temporal whose tasks `answer` takes. */
function askedOf(answer: (input: JudgeInput) => Promise<JudgeAnswer>) {
  const start = async (_type: string, { args: [input] }: { args: [JudgeInput] }) => ({
    result: () => answer(input),
  })
  const temporal = { client: { workflow: { start } }, withDeadline: (ask: () => unknown) => ask() }
  const asking = { db, policies, seals, temporal: temporal as unknown as TemporalClient }
  const onForgedAnswer = () => recordForgedMessage(desk.api, 'answer')
  return askHost({ ...asking, taskQueue, onForgedAnswer })
}

/** How often the trail says that somebody forged a message of this kind. */
async function forgeries(attempt: 'askHost' | 'answerHost'): Promise<number> {
  await sql`update refused_attempt set until = clock_timestamp()`.execute(db)
  await recordRepeats(desk.api)
  const { rows } = await sql<{ detail: { repeated?: number } }>`
    select document::jsonb -> 'detail' as detail from audit_event
    where type = 'attempt.refused' and document::jsonb -> 'detail' ->> 'attempt' = ${attempt}
  `.execute(db)
  return rows.reduce((sum, { detail }) => sum + (detail.repeated ?? 1), 0)
}

const question = { worker: 'scribe', tool: 'list_files', input: { path: '.' }, present: false }

// Rules: security.md 13, 14, 33
test('the API accepts no answer from a stranger at Temporal, not even a copy of a true one, and records each in the trail', async () => {
  const host = askedOf(judgeCall).contextMethods
  expect((await host.judgeRemotely(question)).judgement).toMatchObject({ verdict: 'preApproved' })
  const policyAnswer = { judgement: { verdict: 'preApproved' }, presented: null }
  const text = JSON.stringify({ message: policyAnswer, to: null })
  const questionHash = await putMessage({ db, seals }, question, null)
  const { answerHash: earlier } = await judgeCall({ questionHash, taskQueue })
  const forged = [
    { answer: policyAnswer },
    { text, seal: '' },
    { text, seal: seals.ofMessage('') },
    null,
  ]
  const hashes = forged.map((one) => putContent(db, JSON.stringify(one)))
  const named = [earlier, questionHash, ...(await Promise.all(hashes)), 'sha256:absent', 7]
  const answers: unknown[] = [...named.map((answerHash) => ({ answerHash })), null, 'yes']
  for (const answer of answers) {
    const forger = askedOf(async () => answer as JudgeAnswer).contextMethods
    await expect(forger.judgeRemotely(question)).rejects.toMatchObject({
      code: 'workspace_unreachable',
    })
  }
  expect(await forgeries('answerHost')).toBe(answers.length)
  // Contents that a forger names are not released: they may be in use.
  const released = await db.selectFrom('released_content').select('hash').execute()
  expect(released.map(({ hash }) => hash)).not.toContain(earlier)
})

// Rules: security.md 33
test('a Temporal worker answers no question that the API did not ask, and records each in the trail', async () => {
  const text = JSON.stringify({ to: null, message: question })
  for (const one of [{ question }, { text, seal: '' }, question]) {
    const questionHash = await putContent(db, JSON.stringify(one))
    await expect(judgeCall({ questionHash, taskQueue })).rejects.toThrow(
      'does not come from an API process',
    )
  }
  expect(await forgeries('askHost')).toBe(3)
})

test('the host of the project says what of the tool files in force does not load, and one that loads none says nothing', async () => {
  const place = { file: 'tools/b.ts', line: 1, changed: false }
  const loading = judgeCallActivity({
    ...desk.worker,
    toolProblems: async ({ digest }) => [{ ...place, problem: digest }],
  })
  const { digest } = await policies.inForce()
  expect(await askedOf(loading).toolProblems()).toEqual([{ ...place, problem: digest }])
  expect(await askedOf(judgeCall).toolProblems()).toEqual([])
})
