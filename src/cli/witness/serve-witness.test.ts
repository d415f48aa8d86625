import { request } from 'node:http'
import { chmod, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { fixedLog, noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { cosignatureIn, parseAddCheckpoint } from '#evidence/note/add-checkpoint.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { judgeSubmission } from '#evidence/note/judge-submission.ts'
import { listenAddress, serveWitness, type ServedWitness } from './serve-witness.ts'
import { keepNote, openWitnessFolder, type WitnessFolder } from './witness-folder.ts'
import { Witness } from './witness.ts'

const log = fixedLog(noteSigner('log.example'))
const forked = fixedLog(log.signer, 'other')
const keys = { keys: [{ key: log.signer.key, until: null }], unvouched: [] }

let dir: string
let alarms: string[]
let open: AsyncDisposableStack
beforeEach(() => {
  dir = newFolder('countersign-witness-')
  alarms = []
  open = new AsyncDisposableStack()
})
afterEach(() => open.disposeAsync())

async function start(): Promise<{ folder: WitnessFolder; served: ServedWitness }> {
  const folder = open.use(await openWitnessFolder(dir))
  const witness = new Witness(folder, { log: keys, alarm: (sentence) => alarms.push(sentence) })
  const served = open.use(await serveWitness(witness, { host: '127.0.0.1', port: 0, tls: null }))
  return { folder, served }
}

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: string
}

async function post(
  { port }: ServedWitness,
  body: string,
  path = '/add-checkpoint',
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
  const { status, headers } = response
  return { status, type: headers.get('content-type'), body: await response.text() }
}

describe('a witness that listens', () => {
  it('answers each status of C2SP tlog-witness, and nothing but a cosignature with 200', async () => {
    const { served, folder } = await start()
    const answered = await post(served, log.ask(0, 7))
    expect(answered.status).toBe(200)
    const note = log.note(7)
    expect(cosignatureIn(answered.body, { note, key: folder.signer.key }).line).toBe(answered.body)
    expect(await post(served, log.ask(0, 20))).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      body: '7\n',
    })
    const impostor = fixedLog(noteSigner('log.example'))
    const stranger = fixedLog(noteSigner('other.example'))
    expect((await post(served, impostor.ask(7, 20))).status).toBe(403)
    expect((await post(served, stranger.ask(7, 20))).status).toBe(404)
    expect((await post(served, 'old 7\n')).status).toBe(400)
    expect((await post(served, forked.ask(7, 20))).status).toBe(422)
    expect(await post(served, forked.ask(7, 7))).toMatchObject({ status: 409, body: '7\n' })
    expect((await post(served, log.ask(7, 20), '/')).status).toBe(404)
    const get = await fetch(`http://127.0.0.1:${served.port}/add-checkpoint`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await post(served, 'x'.repeat(300_000))).status).toBe(413)
    expect((await post(served, log.ask(7, 20))).status).toBe(200)
  })

  it('keeps a checkpoint that contradicts its last one, once, and reports it', async () => {
    const { served } = await start()
    await post(served, log.ask(0, 7))
    await post(served, forked.ask(7, 20))
    await post(served, forked.ask(7, 20))
    await post(served, forked.ask(7, 7))
    expect(alarms).toHaveLength(2)
    const kept = (await readdir(dir)).filter((name) => name.startsWith('contradiction-'))
    expect(kept.toSorted()).toEqual(['contradiction-20.txt', 'contradiction-7.txt'])
    expect(await readFile(join(dir, 'contradiction-7.txt'), 'utf8')).toBe(forked.note(7))
  })

  it('cosigns only one of two trees that are sent at the same time', async () => {
    const { served } = await start()
    await post(served, log.ask(0, 7))
    const sizes = Array.from({ length: 12 }, (_, index) => 8 + index)
    const answers = await Promise.all(
      sizes.flatMap((size) => [post(served, log.ask(7, size)), post(served, forked.ask(7, size))]),
    )
    const cosigned = answers.filter(({ status }) => status === 200)
    expect(cosigned).toHaveLength(1)
    const others = new Set(answers.map(({ status }) => status))
    expect([...others].every((status) => [200, 409, 422].includes(status))).toBe(true)
  })

  it('continues after a restart from its state on the disk, even if its answer was never sent', async () => {
    {
      await using folder = await openWitnessFolder(dir)
      const submission = parseAddCheckpoint(log.ask(0, 20))
      const request = { log: keys, last: null, signer: folder.signer, atSeconds: 1 }
      const judged = judgeSubmission(submission, request)
      if (judged.status !== 200) throw new Error('it was not cosigned')
      // Killed between the disk and the answer.
      await keepNote(dir, 20, judged.note)
    }
    const { served, folder } = await start()
    expect(folder.last?.size).toBe(20)
    expect(await post(served, log.ask(0, 30))).toMatchObject({ status: 409, body: '20\n' })
    expect((await post(served, forked.ask(0, 20))).status).toBe(409)
    expect((await post(served, forked.ask(20, 20))).status).toBe(409)
    expect((await post(served, log.ask(20, 20))).status).toBe(200)
    expect((await post(served, log.ask(20, 30))).status).toBe(200)
  })

  it('keeps the last note of each day, with both signatures, so that a log can still prove its past', async () => {
    const { served, folder } = await start()
    await post(served, log.ask(0, 7))
    const yesterday = new Date(Date.now() - 86_400_000)
    await utimes(join(dir, 'checkpoint-7.txt'), yesterday, yesterday)
    for (const [old, size] of [
      [7, 8],
      [8, 9],
      [9, 10],
    ] as const) {
      await post(served, log.ask(old, size))
    }
    const kept = (await readdir(dir)).filter((name) => name.startsWith('checkpoint-'))
    // Around midnight there is one more file.
    expect(kept).toEqual(expect.arrayContaining(['checkpoint-10.txt', 'checkpoint-7.txt']))
    expect(kept.length).toBeLessThan(4)
    const note = await readFile(join(dir, 'checkpoint-10.txt'), 'utf8')
    expect(openCheckpoint(note, log.signer.key).size).toBe(10)
    expect(note).toContain(folder.signer.key.name)
  })

  it('cosigns nothing more after its disk has failed', async () => {
    const { served, folder } = await start()
    await post(served, log.ask(0, 7))
    await rm(dir, { recursive: true })
    expect((await post(served, log.ask(7, 20))).status).toBe(500)
    await expect(served.failed).rejects.toThrow('ENOENT')
    // The folder is back, and another history may be in it.
    const again = await openWitnessFolder(dir)
    await again[Symbol.asyncDispose]()
    expect((await post(served, log.ask(7, 20))).status).toBe(500)
    expect(folder.path).toBe(dir)
  })

  it('reads no more of a body that is cut off', async () => {
    const { served } = await start()
    const cut = request({ port: served.port, path: '/add-checkpoint', method: 'POST' })
    cut.setHeader('content-length', 1000)
    const failed = new Promise((resolve) => cut.on('error', resolve))
    await new Promise((resolve) => cut.write('old 0\n', resolve))
    cut.destroy()
    await failed
    expect((await post(served, log.ask(0, 7))).status).toBe(200)
  })
})

describe('the folder of a witness', () => {
  it('is used by one process at a time, and by another once that has ended', async () => {
    const first = await openWitnessFolder(dir)
    await expect(openWitnessFolder(dir)).rejects.toThrow('stop it first')
    await first[Symbol.asyncDispose]()
    const second = open.use(await openWitnessFolder(dir))
    expect(second.signer.key).toMatchObject({ keyId: first.signer.key.keyId })
    // The first holder learns that another process has taken the folder.
    await expect(first.lock.check()).rejects.toThrow('took')
    await second.lock.check()
    expect((await readdir(dir)).filter((name) => name.startsWith('held'))).toEqual(['held-2.json'])
  })

  it('has a key that nobody else can read, and refuses one that others can', async () => {
    const first = await openWitnessFolder(dir)
    await first[Symbol.asyncDispose]()
    expect((await stat(join(dir, 'witness.pem'))).mode & 0o777).toBe(0o600)
    await chmod(join(dir, 'witness.pem'), 0o640)
    await expect(openWitnessFolder(dir)).rejects.toThrow('can be read by others')
  })
})

test('a witness that others can reach needs TLS or a proxy that has it', () => {
  expect(listenAddress('127.0.0.1:4480', false)).toMatchObject({ host: '127.0.0.1', port: 4480 })
  expect(listenAddress('[::1]:4480', false)).toMatchObject({ host: '::1', display: '[::1]' })
  expect(() => listenAddress('0.0.0.0:4480', false)).toThrow('without TLS')
  expect(listenAddress('0.0.0.0:4480', true)).toMatchObject({ host: '0.0.0.0' })
  for (const bad of ['4480', ':4480', 'host', 'host:', 'host:70000', '::1:4480', 'a b:1']) {
    expect(() => listenAddress(bad, true), bad).toThrow('HOST:PORT')
  }
})
