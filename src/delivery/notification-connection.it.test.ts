import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { openSilentProxy } from '#test/harness/outages/silent-proxy.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { Listener } from './listener.ts'
import { NotificationConnection, type Subscriber } from './notification-connection.ts'

const database = disposeAfterTests(await createTestDatabase())
const disposals: AsyncDisposable[] = []

afterEach(async () => {
  for (const one of disposals.splice(0)) await one[Symbol.asyncDispose]()
})

interface RecordedListener {
  readonly listener: Listener
  /** `channel payload`; `missed` where some may have been */
  readonly words: string[]
}

function listenTo(...channels: readonly string[]): RecordedListener {
  const words: string[] = []
  const listener = new Listener({ url: database.url, channels, onNotification: recordIn(words) })
  disposals.push(listener)
  return { listener, words }
}

function recordIn(words: string[]): Subscriber['onNotification'] {
  return (channel, payload) =>
    void words.push(channel === null ? 'missed' : `${channel} ${payload}`)
}

async function notify(channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(database.db)
}

/** Processes of Postgres that wait for notifications of these tests. */
async function listening(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and query in ('listen "one"', 'listen "two"')
  `.execute(database.db)
  return rows[0]?.count ?? 0
}

/** Ends the connections of these tests that wait for notifications. */
async function endConnections(): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query in ('listen "one"', 'listen "two"')
  `.execute(database.db)
}

it('listeners of one database share a connection, and each gets the notifications of its own channels only', async () => {
  const first = listenTo('one')
  await waitUntil(() => first.listener.isConnected)
  const second = listenTo('two')
  const both = listenTo('one', 'two')
  await waitUntil(() => second.listener.isConnected && both.listener.isConnected)
  expect(await listening()).toBe(1)
  await notify('one', 'a')
  await notify('two', 'b')
  await waitUntil(() => both.words.length === 3)
  expect(first.words).toEqual(['missed', 'one a'])
  expect(second.words).toEqual(['missed', 'two b'])
  expect(both.words).toEqual(['missed', 'one a', 'two b'])
})

it('listeners that begin at the same time send one query after another, also after a lost connection', async () => {
  const { query } = pg.Client.prototype
  let unanswered = 0
  let max = 0
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...words: unknown[]
  ) {
    const answer: unknown = Reflect.apply(query, this, words)
    if (!String(words[0]).startsWith('listen ')) return answer
    max = Math.max(max, (unanswered += 1))
    return (answer as Promise<unknown>).finally(() => (unanswered -= 1))
  })
  onTestFinished(() => spy.mockRestore())
  const listeners = [listenTo('one', 'two'), listenTo('one'), listenTo('two')]
  await waitUntil(() => listeners.every(({ listener }) => listener.isConnected))
  await endConnections()
  await waitUntil(() => listeners.every(({ words }) => words.length === 2))
  expect(max).toBe(1)
})

it('a removed listener gets no notifications, and the last one ends the connection', async () => {
  const first = listenTo('one')
  const second = listenTo('one')
  await waitUntil(() => first.listener.isConnected && second.listener.isConnected)
  await first.listener[Symbol.asyncDispose]()
  await notify('one', 'a')
  await waitUntil(() => second.words.includes('one a'))
  expect(first.words).toEqual(['missed'])
  expect(first.listener.isConnected).toBe(false)
  await second.listener[Symbol.asyncDispose]()
  await waitUntil(async () => (await listening()) === 0)
})

it('a connection that Postgres ended is opened again, and each listener is called because some may have been missed', async () => {
  const listeners = [listenTo('one'), listenTo('two')]
  await waitUntil(() => listeners.every(({ listener }) => listener.isConnected))
  await endConnections()
  await waitUntil(() => listeners.every(({ words }) => words.length === 2))
  expect(listeners.map(({ words }) => words)).toEqual([
    ['missed', 'missed'],
    ['missed', 'missed'],
  ])
  await notify('two', 'b')
  await waitUntil(() => listeners[1]?.words.includes('two b') === true)
})

it('a connection that silently delivers nothing is replaced, although it reports no error', async () => {
  const proxy = await openSilentProxy(Number(new URL(database.url).port))
  disposals.push(proxy)
  const url = new URL(database.url)
  url.hostname = 'localhost'
  url.port = String(proxy.port)
  const connection = new NotificationConnection({ url: url.href, testEveryMs: 100 })
  const words: string[] = []
  const subscriber = { channels: ['one'], onNotification: recordIn(words), isListening: false }
  connection.add(subscriber)
  disposals.push({ [Symbol.asyncDispose]: () => connection.remove(subscriber) })
  await waitUntil(() => subscriber.isListening)
  proxy.fallSilent()
  await waitUntil(() => !subscriber.isListening)
  proxy.speakAgain()
  await waitUntil(() => words.length === 2)
  expect(words).toEqual(['missed', 'missed'])
})
