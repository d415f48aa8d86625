import { CompiledQuery } from 'kysely'
import { expect, it } from 'vitest'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { handOverRequest } from '#services/requests/hand-over-request.ts'
import { putContent } from '#store/content/content.ts'
import type { Mail } from './mail.ts'
import { mailRound, repeatMailRounds } from './mail-rounds.ts'
import {
  ada,
  choose,
  database,
  grace,
  linus,
  open,
  openRelay,
  publicUrl,
  server,
  service,
  useMailDesk,
  withMail,
} from './mail.fixture.ts'

useMailDesk()
const hourMs = 3_600_000
/** Tomorrow and later, so that no slot of the database's own clock comes between. */
const morning = (days: number): Date => {
  const at = new Date(Date.now() + days * 24 * hourMs)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), 9))
}

function round(clock: Date): Promise<void> {
  return mailRound({ ...withMail(), publicUrl }, clock)
}

/** The ids of the mails that a test has read. */
const seen = new Set<string>()
/** The mails of a type that were stored since the last call. */
async function made(type: string): Promise<(Mail & { readonly id: string })[]> {
  const rows = await database.db
    .selectFrom('delivery')
    .select(['id', 'body'])
    .where('type', '=', type)
    .orderBy('id')
    .execute()
  const fresh = rows.filter(({ id }) => !seen.has(id))
  for (const { id } of fresh) seen.add(id)
  return fresh.map(({ id, body }) => ({ id, ...(JSON.parse(body) as Mail) }))
}

it('sends one digest for each slot to those who chose digests, whatever the number of processes; none when it is empty', async () => {
  await choose(grace, { choice: 'digest' })
  await choose(ada, { choice: 'digest' })
  // A person's digests begin with their first slot: nobody gets an old list.
  await round(morning(1))
  expect(await made('digest')).toEqual([])
  const request = await open({ input: { path: 'notes/digest.md', content: 'not told' } })
  await Promise.all([round(morning(2)), round(morning(2)), round(morning(2))])
  await round(morning(2))
  const [digest, ...others] = await made('digest')
  // Ada is behind the request: nothing waits for her.
  expect(others).toEqual([])
  expect(digest).toMatchObject({
    to: 'grace@example.com',
    subject: expect.stringMatching(/^Approvals: \d+ waiting/),
  })
  expect(digest?.text).toContain('Write "notes/digest.md"')
  expect(digest?.text).toContain(`${publicUrl}/requests/${request.id}`)
  expect(digest?.text).not.toContain('not told')
})

it('sends one digest after days without service, with what waits then and what has ended since', async () => {
  await choose(ada, { choice: 'digest' })
  await choose(linus, { choice: 'digest' })
  await round(morning(3))
  await made('digest')
  {
    await using _relay = openRelay()
    const request = await open({ input: { path: 'notes/old.md', content: '' } })
    const denial = { decision: 'deny', digest: request.digest, revision: 1 }
    await decideRequest(withMail(), grace.caller, { request: request.id, body: denial })
    await waitUntil(async () => {
      const news = await database.db.selectFrom('mail_news').selectAll().execute()
      return news.some((one) => one.request_id === request.id && one.person_id === ada.id)
    })
  }
  await open({ input: { path: 'notes/new.md', content: '' } })
  await round(morning(9))
  const digests = await made('digest')
  expect(digests.map(({ to }) => to).toSorted()).toEqual(['ada@example.com', 'linus@example.com'])
  const [adas, linuses] = digests.toSorted((one, other) => one.to.localeCompare(other.to))
  expect(adas?.subject).toBe('Approvals: 1 ended')
  expect(adas?.text).toContain('; Denied by Grace')
  expect(linuses?.text).toContain('notes/new.md')
  expect(linuses?.text).not.toContain('notes/old.md')
  await round(morning(10))
  const next = await made('digest')
  expect(next.map(({ to }) => to)).toEqual(['linus@example.com'])
})

// Rules: product.md 38; security.md 20
it('says in a digest what each request is for, also when it has ended, except at high risk', async () => {
  await choose(ada, { choice: 'digest' })
  await choose(linus, { choice: 'digest' })
  await round(morning(11))
  await made('digest')
  const path = 'notes/for-what.md'
  const request = await open({ input: { path, content: '' } })
  await open({ input: { path: 'notes/risky.md', content: '' }, risk: 'high' })
  await database.db
    .insertInto('mail_news')
    .values({ request_id: request.id, person_id: ada.id })
    .execute()
  await round(morning(12))
  const digests = await made('digest')
  const to = (address: string) => digests.find((mail) => mail.to === address)?.text ?? ''
  const entry = new RegExp(`- [^\n]*${path}[^\n]*\n  Task of Ada, [^\n]*\n  #\\d+, medium`)
  expect(to('linus@example.com')).toMatch(entry)
  expect(to('linus@example.com')).toMatch(/- [^\n]*risky\.md[^\n]*\n {2}#\d+, high risk/)
  expect(to('ada@example.com')).toMatch(entry)
})

it('marks in a digest what a colleague handed over to the person, first and for nobody else', async () => {
  await choose(grace, { choice: 'digest' })
  await choose(linus, { choice: 'digest' })
  await round(morning(15))
  await made('digest')
  await open({ input: { path: 'notes/sooner.md', content: '' }, expiresInMs: hourMs * 2 })
  const request = await open({ input: { path: 'notes/handed.md', content: '' } })
  await handOverRequest(withMail(), grace.caller, { request: request.id, to: linus.id })
  await round(morning(16))
  const digests = await made('digest')
  const to = (address: string) => digests.find((mail) => mail.to === address)?.text ?? ''
  const mark = 'handed over to you by Grace'
  const [first] = to('linus@example.com').split('- ').slice(1)
  expect(first).toContain('notes/handed.md')
  expect(first).toMatch(/; handed over to you by Grace, expires /)
  expect(to('linus@example.com').split(mark)).toHaveLength(2)
  expect(to('grace@example.com')).toContain('notes/handed.md')
  expect(to('grace@example.com')).not.toContain(mark)
})

it('mails at once and once that a request expires soon, and again after it was extended', async () => {
  await choose(grace, { choice: 'atOnce' })
  const later = (hours: number): Date => new Date(Date.now() + hours * hourMs)
  await database.db.deleteFrom('mail_expiring').execute()
  await round(later(0))
  const request = await open({ expiresInMs: 20 * hourMs })
  await open({ expiresInMs: 6 * hourMs })
  await round(later(15))
  expect(await made('request.expiring')).toEqual([])
  await Promise.all([round(later(17)), round(later(17))])
  const mails = await made('request.expiring')
  expect(mails).toMatchObject([{ to: 'grace@example.com', thread: `request-${request.id}` }])
  await round(later(18))
  expect(await made('request.expiring')).toEqual([])
  await setRows(database.db, 'request', { id: request.id }, { expires_at: later(40) })
  await sealRows(database.db, 'request', 'id', request.id)
  await round(later(37))
  expect(await made('request.expiring')).toHaveLength(1)
})

it('repeats its rounds by itself, and the relay sends the mails that they make', async () => {
  await choose(linus, { choice: 'digest' })
  await round(morning(-3))
  await open({ input: { path: 'notes/sent.md', content: '' } })
  await using _relay = openRelay()
  await using _rounds = repeatMailRounds({ ...withMail(), publicUrl, everyMs: 50 })
  // People who chose mail at once get one about the same request, in its thread.
  const digest = () =>
    server.received.find(
      ({ message, to }) =>
        to.includes('linus@example.com') && message.text?.includes('notes/sent.md') === true,
    )
  await waitUntil(() => digest() !== undefined)
  expect(digest()?.message.references).toBeUndefined()
})

it('reads the tasks of the 30 requests in a list of a digest together, and no other tasks', async () => {
  await choose(linus, { choice: 'digest' })
  await round(morning(13))
  await made('digest')
  const ids: string[] = []
  for (let index = 0; index < 40; index += 1) {
    const own = await addRun(service, { startedBy: ada })
    const input_digest = await putContent(database.db, `"Write number ${index}."`)
    await setRows(database.db, 'run', { id: own.id }, { input_digest })
    ids.push((await addRequest(service, own)).id)
  }
  const news = ids.map((request_id) => ({ request_id, person_id: linus.id }))
  const addNews = () => database.db.insertInto('mail_news').values(news).execute()
  await addNews()
  const queries: LoggedQuery[] = []
  await using db = withQueryLog(database.url, queries)
  await mailRound({ ...withMail(), db, publicUrl }, morning(14))
  const [digest] = await made('digest')
  expect(digest?.subject).toMatch(/; 40 ended$/)
  expect(digest?.text).toContain('Write number 29.')
  expect(digest?.text).not.toContain('Write number 39.')
  expect(digest?.text).toMatch(/Ended\n[^]*\n {2}and 10 more\n/)
  expect(queries.filter((one) => one.sql.includes('from "content"'))).toHaveLength(2)
  await addNews()
  const lists = queries.filter((one) => one.sql.includes('json_build_object'))
  expect(Math.max(...(await Promise.all(lists.map(lookUpsOfTasks))))).toBe(30)
})

/** How often a query looks for the content of a task. */
async function lookUpsOfTasks({ sql: text, parameters }: LoggedQuery): Promise<number> {
  const query = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters])
  const { rows } = await database.db.executeQuery(query)
  const plan = JSON.stringify(rows)
  const nodes: number[] = []
  JSON.parse(plan, (_, node: JsonObject | null) => {
    if (node?.['Relation Name'] === 'content') nodes.push(Number(node['Actual Loops']))
    return node
  })
  return Math.max(...nodes)
}

// Rules: security.md 37
it('counts the hour by when the last hours of requests began: after an outage, those of earlier hours hide none of this one', async () => {
  const { db } = database
  await db.deleteFrom('delivery').execute()
  await choose(grace, { choice: 'atOnce' })
  await round(new Date())
  await made('request.expiring')
  const ago = (ms: number): Date => new Date(Date.now() - ms)
  const openSince = async (ms: number) => {
    const request = await open({ input: { path: `notes/${ms}.md`, content: '' } })
    const times = { created_at: ago(12 * hourMs), expires_at: ago(ms - 4 * hourMs) }
    await setRows(db, 'request', { id: request.id }, times)
    await sealRows(db, 'request', 'id', request.id)
    return request
  }
  for (let n = 0; n < 35; n += 1) await openSince(2 * hourMs + n)
  const recent = await openSince(1_000)
  await db
    .updateTable('mail_expiring')
    .set({ told_until: ago(3 * hourMs) })
    .execute()
  await round(new Date())
  const mails = await made('request.expiring')
  expect(mails).toHaveLength(31)
  expect(mails.filter(({ thread }) => thread === `request-${recent.id}`)).toHaveLength(1)
})
