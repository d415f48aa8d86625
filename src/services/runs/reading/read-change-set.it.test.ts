import { expect, test } from 'vitest'
import { decideMany } from '#services/decisions/decide-many.ts'
import { eraseContents } from '#store/content/erased-content.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { commentRequest } from '../../requests/comment-request.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { listRequests } from '../../requests/lists/list-requests.ts'
import { forkRun } from '../forking/fork-run.ts'
import { listRuns } from './list-runs.ts'
import { readChangeSet } from './read-change-set.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

let runId = ''
const desk = disposeAfterTests(await openAgentDesk())
await desk.write('notes/old.md', 'old\n')
runId = await desk.start({ input: 'Tidy the notes' })
desk.say({
  text: 'Five calls.',
  calls: [
    writeCall('notes/a.md', 'a\n'),
    { tool: 'read_file', input: { path: 'notes/old.md' } },
    { tool: 'edit_file', input: { path: 'notes/a.md', edits: [{ find: 'a', replace: 'b' }] } },
    { tool: 'delete_file', input: { path: 'notes/old.md' } },
    writeCall('notes/old.md', 'new\n'),
  ],
})
await desk.turn(runId, 1)

const open = (turn = 1, who = desk.people.grace) =>
  readChangeSet(desk.api, who.caller, { runId, turn })

// Rules: product.md 40
test('a change set has every call of the turn in call order, with the task and everything that a decision needs', async () => {
  const { task, calls } = await open()
  expect(task).toMatchObject({ text: 'Tidy the notes', by: { name: 'Ada' } })
  expect(
    calls.map(({ position, tool, verdict, shown }) => [position, tool, verdict, shown !== null]),
  ).toEqual([
    [1, 'write_file', 'ask', true],
    [2, 'read_file', 'preApproved', false],
    [3, 'edit_file', 'ask', true],
    [4, 'delete_file', 'blocked', false],
    [5, 'write_file', 'ask', true],
  ])
  expect([calls[1]?.title, calls[3]?.title]).toEqual([
    'read_file notes/old.md',
    'delete_file notes/old.md',
  ])
  for (const { shown } of calls) {
    if (shown === null) continue
    const { batch } = await getRequest(desk.api, desk.people.grace.caller, {
      request: shown.request.id,
    })
    const titles = batch?.siblings.map(({ title }) => title)
    expect(titles).toEqual(
      calls
        .filter(({ callId }) => callId !== shown.request.callId)
        .map((call) => call.shown?.request.effect ?? call.title),
    )
    const { digest, revision, presentation } = await getRequest(
      desk.api,
      desk.people.grace.caller,
      {
        request: shown.request.id,
      },
    )
    expect(shown.request).toMatchObject({ digest, revision, seen: presentation.digest })
    expect(shown.presentation).toEqual(presentation)
  }
  expect(calls[2]?.shown?.request.assumes).toBe(1)
})

test('a change set has the comments of each call, and says where the words of a comment were erased', async () => {
  const { linus } = desk.people
  const [call] = (await open()).calls
  const request = call!.shown!.request.id
  const anchor = { file: 'notes/a.md', side: 'new', line: 1 } as const
  await commentRequest(desk.api, linus.caller, { request, text: 'use yarn', anchor })
  const commentsOf = async () =>
    (await open()).calls.map(({ shown }) =>
      shown?.request.comments.map(({ person, text, anchor }) => [person.name, text, anchor]),
    )
  const others = [undefined, [], undefined, []]
  expect(await commentsOf()).toEqual([[['Linus', 'use yarn', anchor]], ...others])
  const { db } = desk.database
  const { text_hash: hash } = await rowOf(db, 'comment', { request_id: request })
  await db.transaction().execute((tx) => eraseContents(tx, [hash], linus.id))
  const erased = expect.stringMatching(/^\[erased on .* by Linus\]$/)
  expect(await commentsOf()).toEqual([[['Linus', erased, anchor]], ...others])
})

test('the contents of a change set suffice to decide all of it in one action', async () => {
  const { calls } = await open()
  const decisions = calls.flatMap(({ shown }) => {
    if (shown === null) return []
    const { id: requestId, digest, revision, seen } = shown.request
    return [{ requestId, decision: 'approve', digest, revision, seen }]
  })
  const turn = { runId, turn: 1 }
  const { items } = await decideMany(desk.api, desk.people.grace.caller, { decisions, turn })
  expect(items.map(({ state }) => state)).toEqual(['approved', 'approved', 'approved'])
  const after = await open()
  expect(after.calls[0]?.shown?.request).toMatchObject({ state: 'approved' })
})

test('a turn that does not exist, and one of a run that the caller may not see, are not found', async () => {
  const stranger = await addPerson(desk.database.db, 'Barbara', ['elsewhere'])
  for (const attempt of [() => open(2), () => open(-1), () => open(1, stranger)]) {
    expect((await refusal(attempt())).code).toBe('not_found')
  }
})

// Rules: product.md 29
test('the task of a fork is its own message, and that of a repeated start is the old input', async () => {
  const changeSetOf = (id: string) =>
    readChangeSet(desk.api, desk.people.ada.caller, { runId: id, turn: 2 })
  desk.say({ text: 'Tidied.' })
  const { runId: old } = await desk.startTurn({ input: 'Tidy the shelf' })
  const { id: onward } = await forkRun(desk.api, desk.people.ada.caller, {
    runId: old,
    text: 'Tidy the cellar',
  })
  desk.say({ calls: [{ tool: 'read_file', input: { path: 'notes/old.md' } }] })
  await desk.turn(onward, 2)
  expect((await changeSetOf(onward)).task).toMatchObject({
    text: 'Tidy the cellar',
    by: { name: 'Ada' },
  })
  const { id: again } = await forkRun(desk.api, desk.people.ada.caller, {
    runId: old,
    afterTurn: 0,
  })
  desk.say({ text: 'Again.' })
  await desk.turn(again, 1)
  const { task } = await readChangeSet(desk.api, desk.people.ada.caller, { runId: again, turn: 1 })
  expect(task).toMatchObject({ text: 'Tidy the shelf' })
})

// Rules: product.md 26, 38
test('a long task is whole in a change set and in a request; a list says how many characters it leaves out', async () => {
  const input = 'x'.repeat(5_000)
  const longRun = await desk.start({ input })
  desk.say({ calls: [writeCall('notes/long-task.md', 'x\n')] })
  await desk.turn(longRun, 1)
  const { caller } = desk.people.grace
  const { items } = await listRequests(desk.api, caller, { runId: longRun })
  expect(items[0]?.task?.text).toBe(`${'x'.repeat(3_999)}… (1,001 more characters)`)
  const detail = await getRequest(desk.api, caller, { request: items[0]?.id ?? '' })
  expect(detail.task?.text).toBe(input)
  const changeSet = await readChangeSet(desk.api, caller, { runId: longRun, turn: 1 })
  expect(changeSet.task?.text).toBe(input)
})

test('an erased task is said to be erased in a list too, however large it was', async () => {
  const erasedRun = await desk.start({ input: 'Tidy the attic' })
  desk.say({ calls: [writeCall('notes/erased-task.md', 'x\n')] })
  await desk.turn(erasedRun, 1)
  const { db } = desk.database
  const { ada, grace } = desk.people
  const { input_digest: hash } = await rowOf(db, 'run', { id: erasedRun })
  await db.transaction().execute((tx) => eraseContents(tx, [hash], ada.id))
  await db.updateTable('content').set({ size: 300_000 }).where('hash', '=', hash).execute()
  const requests = await listRequests(desk.api, grace.caller, { runId: erasedRun })
  expect(requests.items.map(({ task }) => task)).toEqual([null])
  const runs = await listRuns(desk.api, ada.caller, { limit: 1 })
  expect(runs.items[0]).toMatchObject({
    id: erasedRun,
    task: { text: expect.stringMatching(/^\[erased on .* by Ada\]$/) },
  })
})
