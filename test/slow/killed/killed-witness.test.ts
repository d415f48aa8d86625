import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cosignatureIn, parseWitnessSize } from '#evidence/note/add-checkpoint.ts'
import { formatVerifierKey, parseVerifierKey, type NoteKey } from '#evidence/note/note-key.ts'
import { fixedLog, noteSigner, type FixedLog } from '../../harness/evidence/fixed-log.ts'
import { waitUntil } from '../../harness/wait-until.ts'

const entry = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
const rounds = 6
const maxSize = 2000
const log = fixedLog(noteSigner('log.example'), '', maxSize)
/** another history under the same key, from the very first event on */
const forked = fixedLog(log.signer, 'other', maxSize)

interface Running {
  readonly key: NoteKey
  readonly url: string
  isGone(): boolean
  kill(): Promise<void>
}

/** The command as people run it, ready to be asked. */
async function start(dir: string): Promise<Running> {
  const args = ['audit', 'witness', '--listen', '127.0.0.1:0', '--dir', dir]
  const key = formatVerifierKey(log.signer.key)
  const child = spawn(process.execPath, [entry, ...args, '--key', key], { stdio: 'pipe' })
  const ended = once(child, 'close')
  let output = ''
  const ready = new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const found = /witness key +(\S+)\n[^]*ready +(http:\/\/\S+)\n/.exec(output)
      if (found !== null) resolve(found)
    })
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    void ended.then(() => reject(new Error(output)))
  })
  const [, vkey = '', url = ''] = await ready
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const isGone = (): boolean => child.killed || child.exitCode !== null || child.signalCode !== null
  return { key: parseVerifierKey(vkey), url, isGone, kill }
}

/** Sends one submission; `null` when the witness died before it answered. */
async function post(url: string, body: string) {
  try {
    const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
    return { status: response.status, body: await response.text() }
  } catch {
    return null
  }
}

/**
 * Grows one history as fast as it is cosigned, from where the witness says it is, until that is
 * gone.
 */
async function drive(of: FixedLog, witness: Running, cosigned: number[]): Promise<void> {
  const { url, key } = witness
  for (let last = 0; last < maxSize;) {
    const size = last + 1
    const answer = await post(url, of.ask(last, size))
    // A connection that was idle for long also ends without an answer.
    if (answer === null && witness.isGone()) return
    if (answer?.status === 200) {
      cosignatureIn(answer.body, { note: of.note(size), key })
      cosigned.push(size)
      last = size
    } else if (answer?.status === 409) last = parseWitnessSize(answer.body) ?? last
  }
}

test('a witness killed again and again while two histories ask has cosigned one of them only, and forgets nothing', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'countersign-killed-witness-'))
  const cosigned: number[] = []
  const others: number[] = []
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const before = Math.max(0, ...cosigned, ...others)
      const running = await start(dir)
      if (before > 0) {
        const reply = await post(running.url, log.ask(0, maxSize))
        // What was answered before the kill was on the disk by then.
        expect(parseWitnessSize(reply?.body ?? '')).toBeGreaterThanOrEqual(before)
      }
      const driving = [drive(log, running, cosigned), drive(forked, running, others)]
      const enough = cosigned.length + others.length + 7 * round
      await waitUntil(() => cosigned.length + others.length >= enough, { withinMs: 120_000 })
      await running.kill()
      await Promise.all(driving)
    }
    expect(Math.min(cosigned.length, others.length)).toBe(0)
    const second = await start(dir)
    await expect(start(dir)).rejects.toThrow('stop it first')
    await second.kill()
    expect((await readdir(dir)).filter((name) => name.startsWith('held-'))).toHaveLength(1)
  } finally {
    await rm(dir, { recursive: true })
  }
})
