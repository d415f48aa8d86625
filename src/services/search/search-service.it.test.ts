import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addKey, addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { searchService, type SearchInput } from './search-service.ts'

let runId = ''
const desk = disposeAfterTests(await openAgentDesk())
const stranger = await addPerson(desk.database.db, 'Barbara', ['elsewhere'])
runId = await desk.start({ input: 'Prepare the quarterly invoices' })
desk.say({
  calls: ['notes/invoices/2026-100%.md', 'notes/other_one.md'].map((path) => ({
    tool: 'write_file',
    input: { path, content: 'x\n' },
  })),
})
await desk.turn(runId, 1)
const requestIds = (await desk.calls(runId, 1)).map((call) => call.requestId)

const search = (input: SearchInput, who = desk.people.grace) =>
  searchService(desk.api, who.caller, input)
const found = async (input: SearchInput, who = desk.people.grace) =>
  (await search(input, who)).map(({ type, title }) => `${type} ${title}`)

test('a search finds requests, files, runs, people, workers and rules that have every word, each with a path', async () => {
  const items = await search({ q: 'INVOICES md' })
  expect(items).toEqual([
    expect.objectContaining({
      type: 'file',
      id: 'notes/invoices/2026-100%.md',
      url: '/?state=any&q=notes%2Finvoices%2F2026-100%25.md',
    }),
    expect.objectContaining({ type: 'request', id: requestIds[0], number: 1, url: '/requests/1' }),
  ])
  expect(await search({ q: 'quarterly scribe' })).toMatchObject([
    { type: 'run', id: runId, title: 'Prepare the quarterly invoices', url: `/runs/${runId}` },
  ])
  expect(await found({ q: 'example.com grace' })).toEqual(['person Grace'])
  expect(await found({ q: 'zone notes write' })).toEqual(['rule zone notes: write: ask'])
  expect(await found({ q: 'scribe', types: ['worker'] })).toEqual(['worker scribe'])
})

test('a number, with or without its sign, and an id come first', async () => {
  for (const q of ['#2', '2', requestIds[1] ?? '']) {
    expect((await search({ q }))[0]).toMatchObject({ type: 'request', id: requestIds[1] })
  }
  expect((await search({ q: runId }))[0]).toMatchObject({ type: 'run', id: runId })
})

test('a search finds nothing that its caller may not see, by words, number or id; a key finds no people', async () => {
  for (const q of ['invoices', '#1', requestIds[0] ?? '', runId, 'quarterly']) {
    expect(await found({ q }, stranger)).toEqual([])
  }
  const key = await addKey(desk.database.db, desk.people.ada)
  const items = await searchService(desk.api, key.caller, { q: 'grace' })
  expect(items).toEqual([])
})

test('wildcard characters are ordinary ones, and only the requested types are found', async () => {
  expect(await found({ q: '100%', types: ['file'] })).toEqual(['file notes/invoices/2026-100%.md'])
  expect(await found({ q: '%' })).toEqual([
    'file notes/invoices/2026-100%.md',
    expect.stringContaining('request Create notes/invoices'),
  ])
  expect(await found({ q: 'other_one', types: ['file'] })).toEqual(['file notes/other_one.md'])
  expect(await found({ q: 'otherxone' })).toEqual([])
  expect(await found({ q: "x' or 1=1 --" })).toEqual([])
  expect(await found({ q: 'invoices', types: ['run'] })).toEqual([
    'run Prepare the quarterly invoices',
  ])
  const many = Array.from({ length: 9 }, (_, nth) => `w${nth}`).join(' ')
  expect(await refusal(search({ q: many }))).toMatchObject({ code: 'invalid_request' })
})
