import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { keepCovered } from '#test/harness/fixtures/cover-audit.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import { addKey, addPerson } from '#test/harness/fixtures/people.ts'
import { outcomeOf, refusal } from '#test/harness/fixtures/refusal.ts'
import { everyRow, rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { exportBundle } from '../audit/export/export-bundle.ts'
import { exportLog } from '../audit/export/export-log.ts'
import { exportAudit } from '../audit/export-audit.ts'
import { resendDelivery } from '../channels/webhooks/resend-delivery.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { answerQuestion } from '../decisions/answer-question.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { closeConversation } from '../engine/lifecycle/close-conversation.ts'
import { discardWorktree } from '../engine/lifecycle/discard-worktree.ts'
import { invokeTool } from '../engine/manual-calls/invoke-tool.ts'
import { eraseRequestContents } from '../erasure/erase-contents.ts'
import { erasePersonWords, eraseRequestWords } from '../erasure/erase-words.ts'
import { listGrants } from '../grants/list-grants.ts'
import { revokeGrant } from '../grants/revoke-grant.ts'
import { withdrawPolicyChange } from '../insights/policy-changes.ts'
import { confirmCredential } from '../passkeys/confirm-credential.ts'
import { removeCredential } from '../passkeys/remove-credential.ts'
import { agreeToPolicy } from '../policy/agree-to-policy.ts'
import { cancelProposal } from '../policy/cancel-proposal.ts'
import { archiveRuns } from '../retention/archive-runs.ts'
import { messageRun } from '../runs/message-run.ts'
import { startRun } from '../runs/starting/start-run.ts'
import { pauseSchedule, triggerSchedule } from '../runs/schedules/manage-schedule.ts'
import { pauseTrigger } from '../runs/triggers/pause-trigger.ts'
import { proposeApiKey } from './api-keys/propose-api-key.ts'
import { revokeApiKey } from './api-keys/revoke-api-key.ts'
import { rotateApiKey } from './api-keys/rotate-api-key.ts'
import { withdrawKeyProposal } from './api-keys/withdraw-key-proposal.ts'
import { disablePerson } from './disable-person.ts'
import { unlinkIdentity } from './oidc/unlink-identity.ts'
import { endNamedSession, endOtherSessions } from './sessions/end-sessions.ts'

/** Olga has every right, and Linus too, so that she is never the last. */
const rights = ['manageRuns', 'activatePolicy', 'readAudit', 'managePeople']
const held = `${deskConfig.replace('manageRuns: [operators]', rights.map((right) => `${right}: [operators, linus@example.com]`).join('\n  '))}schedules:
  minutely: { worker: scribe, input: x, cron: "* * * * *", as: ada@example.com, catchup: one }
triggers:
  deploys: { worker: scribe, secret: "\${DEPLOYS_SECRET}", as: ada@example.com }
`
const ended = held.replaceAll('[operators, linus@example.com]', '[linus@example.com]')
const worker = deskWorker.replace(
  'zones:',
  'tools: { ask_person: {}, delete_file: { manual: true } }\nzones:',
)

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': held, 'workers/scribe.md': worker })
const { ada, grace, linus, olga } = desk.people
const { db } = desk.database

const note = { path: 'notes/release.md', content: 'released\n' }
desk.say({
  calls: [
    { tool: 'write_file', input: note },
    { tool: 'ask_person', input: { question: 'Which branch?' } },
  ],
})
const { runId } = await desk.startTurn()
const [, question] = await desk.calls(runId, 1)
const request = (await desk.calls(runId, 1))[0]?.requestId ?? ''
await desk.decide(grace, request, { scope: 'run', reason: 'as agreed' })
const [grant] = await listGrants(desk.api, ada.caller, { runId })
await desk.write('scratch/old.txt', 'old\n')
const linusKey = await addKey(db, linus)
const olgaKey = await addKey(db, olga)
const credentialId = newId()
await db
  .insertInto('credential')
  .values(
    ((row) => ({ ...row, seal: testSeals.of('credential', row) }))({
      id: credentialId,
      person_id: linus.id,
      webauthn_id: 'webauthn',
      public_key: 'key',
      counter: 0,
      transports: [],
      name: 'laptop',
      synced: false,
      confirmed_at: null,
      confirmed_by: null,
      removed_at: null,
      last_used_at: null,
    }),
  )
  .execute()

type Act = (ctx: SigningContext) => Promise<unknown>
const email = 'linus@example.com'
const why = 'on request'
const byKey = { keyReadsAudit: true, format: 'jsonl' } as const
const keysNote = ''
const keyReadsAudit = false

/** Every verb that records by a right, below the file that takes it. */
const acts: Readonly<Record<string, Readonly<Record<string, Act>>>> = {
  'access/api-keys/propose-api-key.ts': {
    proposeApiKey: (ctx) =>
      proposeApiKey(ctx, olga.caller, {
        name: 'CI',
        scopes: ['runs:read'],
        expiresAt: null,
        ownerEmail: email,
      }),
  },
  'access/api-keys/revoke-api-key.ts': {
    revokeApiKey: (ctx) => revokeApiKey(ctx, olga.caller, { id: linusKey.id }),
  },
  'access/api-keys/withdraw-key-proposal.ts': {
    withdrawKeyProposal: (ctx) => withdrawKeyProposal(ctx, olga.caller, { id: newId() }),
  },
  'access/disable-person.ts': {
    disablePerson: (ctx) => disablePerson(ctx, olga.caller, { email: 'grace@example.com' }),
  },
  'access/oidc/unlink-identity.ts': {
    unlinkIdentity: (ctx) => unlinkIdentity(ctx, olga.caller, { email }),
  },
  'access/sessions/end-sessions.ts': {
    endNamedSession: (ctx) => endNamedSession(ctx, olga.caller, { id: newId() }),
    endOtherSessions: (ctx) => endOtherSessions(ctx, olga.caller, { currentId: newId(), email }),
  },
  'audit/export-audit.ts': {
    exportAudit: (ctx) => exportAudit(ctx, olga.caller, { ...byKey, keyReadsAudit }),
    'exportAudit by a key': (ctx) => exportAudit(ctx, olgaKey.caller, byKey),
  },
  'audit/export/export-bundle.ts': {
    exportBundle: (ctx) => exportBundle(ctx, olga.caller, { request, keysNote, keyReadsAudit }),
  },
  'audit/export/export-log.ts': {
    exportLog: (ctx) => exportLog(ctx, olga.caller, { keysNote, keyReadsAudit }),
  },
  'channels/webhooks/resend-delivery.ts': {
    resendDelivery: (ctx) => resendDelivery(ctx, olga.caller, { deliveryId: newId() }),
  },
  'engine/lifecycle/close-conversation.ts': {
    closeConversation: (ctx) => closeConversation(ctx, olga.caller, { runId }),
  },
  'engine/lifecycle/discard-worktree.ts': {
    discardWorktree: (ctx) => discardWorktree(ctx, olga.caller, { runId }),
  },
  'engine/manual-calls/invoke-tool.ts': {
    invokeTool: (ctx) =>
      invokeTool(ctx, olga.caller, {
        runId,
        tool: 'delete_file',
        input: { path: 'scratch/old.txt' },
      }),
  },
  'erasure/erase-contents.ts': {
    eraseRequestContents: (ctx) => eraseRequestContents(ctx, olga.caller, { request, why }),
  },
  'erasure/erase-words.ts': {
    erasePersonWords: (ctx) => erasePersonWords(ctx, olga.caller, { person: email, why }),
    eraseRequestWords: (ctx) => eraseRequestWords(ctx, olga.caller, { request, why }),
  },
  'grants/revoke-grant.ts': {
    revokeGrant: (ctx) => revokeGrant(ctx, olga.caller, { grantId: grant?.id ?? '' }),
  },
  'insights/policy-changes.ts': {
    withdrawPolicyChange: (ctx) => withdrawPolicyChange(ctx, olga.caller, 999),
  },
  'passkeys/confirm-credential.ts': {
    confirmCredential: (ctx) => confirmCredential(ctx, olga.caller, { id: newId() }),
  },
  'passkeys/remove-credential.ts': {
    removeCredential: (ctx) => removeCredential(ctx, olga.caller, { id: credentialId }),
  },
  'policy/agree-to-policy.ts': {
    agreeToPolicy: async (ctx) => {
      const { files, digest } = await desk.api.policies.inForce()
      return agreeToPolicy(ctx, olga.caller, { files, note: null, digest })
    },
  },
  'policy/cancel-proposal.ts': {
    cancelProposal: (ctx) => cancelProposal(ctx, olga.caller, { proposalId: newId() }),
  },
  'retention/archive-runs.ts': {
    archiveRuns: (ctx) => archiveRuns(ctx, olga.caller, { before: '2001-01-01T00:00:00Z' }),
  },
  'runs/message-run.ts': {
    messageRun: (ctx) => messageRun(ctx, olga.caller, { runId, text: 'Go on' }),
  },
  'runs/schedules/manage-schedule.ts': {
    pauseSchedule: (ctx) => pauseSchedule(ctx, olga.caller, { name: 'minutely', paused: true }),
    triggerSchedule: (ctx) => triggerSchedule(ctx, olga.caller, { name: 'minutely' }),
  },
  'runs/triggers/pause-trigger.ts': {
    pauseTrigger: (ctx) => pauseTrigger(ctx, olga.caller, { name: 'deploys', paused: true }),
  },
  // The last verb, because it ends the run of the others.
  'engine/lifecycle/cancel-run.ts': {
    cancelRun: (ctx) => cancelRun(ctx, olga.caller, { runId }),
  },
}

/** What makes an authority by a right, with the files that define it. */
const makers =
  /(?<!function )\b(byRight|byRightOrNull|byProgramOrNull|bySteering|bySteeringOrNull|byManagerOfStarts|auditReaderOf|exporterOf)\(/
const definers = [
  'audit/audit-filter.ts',
  'core/authority.ts',
  'runs/may-steer-run.ts',
  'runs/starting/pause-start.ts',
]

function filesByRight(): { readonly file: string; readonly text: string }[] {
  const folder = join(import.meta.dirname, '..')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => !definers.includes(file))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
    .filter(({ text }) => makers.test(text))
}

/**
 * A context in which `end` runs after a right was judged and before the transaction, and the rows
 * after that.
 */
function meanwhile(end: () => Promise<unknown>) {
  const then = { rows: '' }
  const act = async () => {
    await end()
    then.rows = await everyRow(db)
  }
  return { ctx: { ...desk.api, db: beforeTransaction(desk.api.db, act) }, then }
}

/** How a right ends, and how it is given back. */
const ends = {
  'another version takes force': {
    end: () => desk.activate({ 'countersign.yaml': ended }),
    restore: () => desk.activate({ 'countersign.yaml': held }),
  },
  'the person is disabled': {
    end: () => setRows(db, 'person', { id: olga.id }, { disabled_at: new Date() }),
    restore: () => setRows(db, 'person', { id: olga.id }, { disabled_at: null }),
  },
} as const

test('every verb that records something by a right is in this table', () => {
  const found = filesByRight()
  const writers = found.filter(({ text }) =>
    /\b(inUnitOfWork|recordExport|changePause)\(/.test(text),
  )
  const files = writers.map(({ file }) => file)
  // An answer is judged in `judgeAnswerer`, by the same right.
  expect(files.toSorted()).toEqual(
    [...Object.keys(acts), 'decisions/answer-question.ts'].toSorted(),
  )
  expect(found.length).toBeGreaterThan(files.length)
})

// Rules: security.md 22
describe('a right that ends between its judgement and the record', () => {
  const verbs = Object.values(acts).flatMap((verb) => Object.entries(verb))
  const cases = verbs.flatMap(([name, act]) =>
    Object.entries(ends).map(([how, change]) => ({ name, act, how, ...change })),
  )

  test.each(cases)(
    'as $how: $name is refused and writes nothing',
    async ({ act, end, restore }) => {
      const { ctx, then } = meanwhile(end)
      const { code } = await refusal(act(ctx))
      const now = await everyRow(db)
      await restore()
      expect(code).toBe('forbidden')
      expect(now).toBe(then.rows)
    },
  )

  test.each(Object.entries(ends))(
    'as %s: another person’s question is not answered',
    async (_, { end, restore }) => {
      const { ctx } = meanwhile(end)
      const input = { request: question?.requestId ?? '', text: 'main' }
      const { code } = await refusal(answerQuestion(ctx, olga.caller, input))
      await restore()
      expect(code).toBe('not_eligible')
      expect(await rowOf(db, 'request', { id: input.request }, 'state')).toEqual({
        state: 'pending',
      })
    },
  )

  test.each(verbs)('a right that still holds: %s is not refused for it', async (_, act) => {
    // Exports wait until the log covers their own event.
    await using _covering = keepCovered(db)
    const outcome = await outcomeOf(act(desk.api))
    expect('refusal' in outcome ? outcome.refusal.code : '').not.toBe('forbidden')
  })
})

// Rules: product.md 18
test.each(['each other', 'themselves'])(
  'of two people who disable %s at once, one remains who manages people',
  async (whom) => {
    for (let round = 0; round < 6; round += 1) {
      const emails = ['x', 'y'].map(
        (name) => `${name}-${round}-${whom.replace(' ', '-')}@example.com`,
      )
      const both = `managePeople: [${emails.join(', ')}]`
      const config = held
        .replace(/managePeople: .*/, both)
        .replace('teams:', `teams:\n  both: { members: [${emails.join(', ')}] }`)
      expect(config).toContain(both)
      await desk.activate({ 'countersign.yaml': config })
      const people = await Promise.all(
        emails.map((address) => rowOf(db, 'person', { email: address }, 'id', 'name')),
      )
      const disabling = people.map(({ id, name }, index) => {
        const caller = { actor: { type: 'person', id, name }, channel: 'dashboard' } as const
        const address = emails[whom === 'themselves' ? index : 1 - index] ?? ''
        return outcomeOf(disablePerson(desk.api, caller, { email: address }))
      })
      const outcomes = await Promise.all(disabling)
      const codes = outcomes.flatMap((one) => ('refusal' in one ? [one.refusal.code] : []))
      expect(codes).toEqual([whom === 'themselves' ? 'conflict' : 'forbidden'])
      const rows = await Promise.all(
        people.map(({ id }) => rowOf(db, 'person', { id }, 'disabled_at')),
      )
      expect(rows.filter((row) => row.disabled_at === null)).toHaveLength(1)
    }
  },
)

// Rules: product.md 18
describe('somebody who is disabled while they', () => {
  const verbs = {
    rotate: (ctx: SigningContext, by: Caller, id: string) =>
      rotateApiKey(ctx, by, { id, overlapMs: 0 }),
    revoke: (ctx: SigningContext, by: Caller, id: string) => revokeApiKey(ctx, by, { id }),
  }
  test.each([
    { verb: 'rotate', rights: 'no right', code: 'unauthenticated' },
    { verb: 'revoke', rights: 'no right', code: 'unauthenticated' },
    { verb: 'revoke', rights: 'managePeople', code: 'forbidden' },
  ] as const)(
    '$verb their key, with $rights, is refused, and neither waits for the other for ever',
    async ({ verb, rights, code }) => {
      const name = `${verb} with ${rights}`
      const person = await addPerson(db, name, [])
      const address = `${name.replaceAll(' ', '-')}@example.com`.toLowerCase()
      const others =
        rights === 'managePeople' ? `linus@example.com, ${address}` : 'linus@example.com'
      const config = held
        .replace(/managePeople: .*/, `managePeople: [operators, ${others}]`)
        .replace('teams:', `teams:\n  more: { members: [${address}] }`)
      await desk.activate({ 'countersign.yaml': config })
      const key = await addKey(db, person)
      const conflicts: unknown[] = []
      const warn = (_: unknown, message: string) => void conflicts.push(message)
      const ctx = { ...desk.api, log: { ...desk.api.log, warn } }
      const lock = await holdLock(db, sql`select from person where id = ${person.id} for update`)
      // Who waits first gets the row first.
      const disabling = disablePerson(ctx, olga.caller, { email: address })
      await lock.waitedForBy(1)
      const acting = refusal(verbs[verb](ctx, person.caller, key.id))
      await lock.waitedForBy(2)
      await lock.release()
      await disabling
      expect((await acting).code).toBe(code)
      expect(conflicts).toEqual([])
    },
  )
})

test('people who act on each other by a right, beside starts and new versions, never wait for each other', async () => {
  const conflicts: unknown[] = []
  const log = {
    ...desk.api.log,
    warn: (_: unknown, message: string) => void conflicts.push(message),
  }
  const ctx = { ...desk.api, log }
  const newRun = await desk.start()
  const byBoth = held.replaceAll('[operators,', '[ada@example.com,')
  await desk.activate({ 'countersign.yaml': byBoth })
  const pair = [
    { by: ada.caller, of: 'linus@example.com' },
    { by: linus.caller, of: 'ada@example.com' },
  ]
  for (let round = 0; round < 6; round += 1) {
    const outcomes = await Promise.all([
      ...pair.flatMap(({ by, of }) => [
        endOtherSessions(ctx, by, { currentId: newRun, email: of }),
        proposeApiKey(ctx, by, {
          name: 'x',
          scopes: ['runs:read'],
          expiresAt: null,
          ownerEmail: of,
        }),
        outcomeOf(unlinkIdentity(ctx, by, { email: of })),
        outcomeOf(cancelProposal(ctx, by, { proposalId: newRun })),
        messageRun(ctx, by, { runId: newRun, text: 'Go on' }),
      ]),
      desk.activate({ 'countersign.yaml': `${byBoth}# ${round}\n` }),
      outcomeOf(startRun(ctx, linus.caller, { worker: 'scribe', input: 'x' })),
    ])
    expect(outcomes).toHaveLength(12)
  }
  expect(conflicts).toEqual([])
})
