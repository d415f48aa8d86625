import { createServer } from 'node:http'
import { createApp } from '#api/app.ts'
import { EventFeed } from '#delivery/stream/event-feed.ts'
import { EventSequencer } from '#delivery/stream/event-sequencer.ts'
import { closeServer, listenHere } from '../harness/listen.ts'
import { openAgentDesk, type AgentDesk } from '../harness/fixtures/agent-desk.ts'
import { askAt, defaultSettings, ready, signIn, type Client, type TestApi } from './test-api.ts'

/** The API, with its event stream, over an agent desk: the test is the workflow of its runs. */
export interface DeskApi extends AsyncDisposable {
  readonly desk: AgentDesk
  readonly url: string
  /** fires its `stopping` */
  stop(): void
  signIn(who: keyof AgentDesk['people']): Promise<Client>
  readonly ask: TestApi['ask']
}

/** `secrets`: by the names of their variables. */
export async function openDeskApi(
  secrets: Readonly<Record<string, string>> = {},
): Promise<DeskApi> {
  const desk = await openAgentDesk()
  const { db, url: databaseUrl } = desk.database
  const feed = new EventFeed({ db, databaseUrl })
  const sequencer = new EventSequencer({ db, databaseUrl, log: desk.api.log })
  const stopping = new AbortController()
  const app = createApp({
    ctx: desk.api,
    settings: { ...defaultSettings, projectDir: desk.root },
    events: feed,
    readiness: ready,
    stopping: stopping.signal,
    secretOf: (variable) => secrets[variable],
  })
  const server = createServer(app)
  const url = `http://127.0.0.1:${await listenHere(server)}`
  const ask: TestApi['ask'] = (path, init = {}) => askAt(url + path, init)
  return {
    desk,
    url,
    ask,
    stop: () => stopping.abort(),
    signIn: (who) => signIn(url, ask, desk.people[who]),
    async [Symbol.asyncDispose]() {
      await closeServer(server)
      await sequencer[Symbol.asyncDispose]()
      await feed[Symbol.asyncDispose]()
      await desk[Symbol.asyncDispose]()
    },
  }
}
