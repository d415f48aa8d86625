import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { coverAudit, logSigner } from '#test/harness/fixtures/cover-audit.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { serveWitness } from '#cli/witness/serve-witness.ts'
import { openWitnessFolder } from '#cli/witness/witness-folder.ts'
import { Witness } from '#cli/witness/witness.ts'
import { formatVerifierKey, type NoteKey } from '#evidence/note/note-key.ts'
import type { WitnessSetting } from '#policy/settings.ts'
import type { PolicyReader } from '#services/core/context.ts'
import type { Db } from '#store/database.ts'
import { writeRecords } from '#store/records/records.ts'
import { closeServer, listenHere } from '#test/harness/listen.ts'

/** A witness of the tests' log in its own folder, which can be stopped and started. */
export interface TestWitness extends AsyncDisposable {
  readonly key: NoteKey
  readonly setting: WitnessSetting
  /** the bodies that it was sent */
  readonly requests: readonly string[]
  goAway(): Promise<void>
  comeBack(): Promise<void>
}

export async function openTestWitness(name = 'office'): Promise<TestWitness> {
  const dir = newFolder('countersign-witness-')
  const log = { keys: [{ key: logSigner.key, until: null }], unvouched: [] }
  const requests: string[] = []
  const start = async () => {
    const folder = await openWitnessFolder(dir)
    const witness = new Witness(folder, { log, alarm: () => undefined })
    const served = await serveWitness(witness, { host: '127.0.0.1', port: 0, tls: null })
    return { folder, served }
  }
  let running: Awaited<ReturnType<typeof start>> | null = await start()
  const { key } = running.folder.signer
  // Keeps the address while the witness is stopped, so that no other server gets it.
  const front = await answerAt((response, body) => {
    if (running === null) return void response.destroy()
    requests.push(body)
    void passOn(running.served.port, body, response)
  })
  const goAway = async (): Promise<void> => {
    await running?.served[Symbol.asyncDispose]()
    await running?.folder[Symbol.asyncDispose]()
    running = null
  }
  return {
    key,
    setting: settingAt(name, front.port, key),
    requests,
    goAway,
    comeBack: async () => void (running = await start()),
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]()
      await goAway()
    },
  }
}

async function passOn(port: number, body: string, response: ServerResponse): Promise<void> {
  try {
    const url = `http://127.0.0.1:${port}/add-checkpoint`
    const answer = await fetch(url, { method: 'POST', body })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
  } catch {
    response.destroy()
  }
}

export function settingAt(name: string, port: number, key: NoteKey): WitnessSetting {
  const url = `http://127.0.0.1:${port}`
  return { name, url, vkey: formatVerifierKey(key), source: 'countersign.yaml:1' }
}

/** A server that answers as the test says. */
export async function answerAt(
  respond: (response: ServerResponse, body: string) => void,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => respond(response, body))
  })
  await listenHere(server)
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

/** Adds so many events, each different from all others, and covers them with a checkpoint. */
export async function growLog(db: Db, count: number): Promise<void> {
  const event = { type: 'system.started', actor: { type: 'system' }, channel: 'system' } as const
  const audit = Array.from({ length: count }, () => ({ ...event, detail: {} }))
  await db.transaction().execute((tx) => writeRecords(tx, { audit }, null))
  await coverAudit(db)
}

/** The same policies with these witnesses. */
export function withWitnesses(
  policies: PolicyReader,
  witnesses: readonly WitnessSetting[],
): PolicyReader {
  return {
    ...policies,
    inForce: async () => {
      const policy = await policies.inForce()
      const digest = `${policy.digest} with ${witnesses.map(({ name }) => name).join()}`
      return { ...policy, digest, config: { ...policy.config, audit: { witnesses } } }
    },
  }
}
