import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBundle, type EvidenceBundle } from '#evidence/bundle/evidence-bundle.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { cosignedAt } from '#evidence/note/cosignature.ts'
import { formatVerifierKey, noteKey } from '#evidence/note/note-key.ts'
import { parseNote, type NoteSigner } from '#evidence/note/signed-note.ts'
import type { Verdict } from '#evidence/verify/findings/finding.ts'
import type { WitnessQuorum } from '#evidence/verify/log/check-witnesses.ts'
import { verifyBundle } from '#evidence/verify/verify-bundle.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import { readDocument } from '#test/docs/documents.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { coverAudit, keepCovered } from '#test/harness/fixtures/cover-audit.ts'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { openAuditDesk, type AuditDesk } from '#test/harness/evidence/audit-desk.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { readCheckpoint } from '../log/read-checkpoint.ts'
import { exportBundle } from './export-bundle.ts'
import { allHold } from '#test/harness/evidence/all-hold.ts'
import { cosignNewest } from '#test/harness/evidence/witnessed-desk.ts'

let auditDesk: AuditDesk
let bundle: EvidenceBundle
/** what somebody kept before the bundle was made */
let kept: string

beforeAll(async () => {
  auditDesk = await openAuditDesk()
  const checkpoint = await readNewestCheckpoint(auditDesk.desk.database.db)
  kept = checkpoint?.note ?? ''
  bundle = await exported({ since: checkpoint?.size ?? 0 })
})
afterAll(() => auditDesk.desk[Symbol.asyncDispose]())

/** As grace, who may read the trail; somebody covers it meanwhile, as the sequencer does. */
async function exported(more: { since?: number } = {}): Promise<EvidenceBundle> {
  const { desk, signer, requestId } = auditDesk
  await using _covering = keepCovered(desk.database.db)
  const made = await exportBundle(desk.api, desk.people.grace.caller, {
    request: requestId,
    keysNote: formatStatementKeys(desk.api.verifier, signer),
    keyReadsAudit: false,
    ...more,
  })
  return parseBundle(JSON.stringify(made))
}

function verify(one: EvidenceBundle, since: string | null = null): Record<string, string> {
  return outcomes(verifyBundle(one, auditDesk.signer.key, since))
}

function outcomes(verdicts: readonly Verdict[]): Record<string, string> {
  return Object.fromEntries(verdicts.map(({ name, outcome }) => [name, outcome]))
}

describe('an evidence bundle', () => {
  test('holds in every verdict with nothing but the log’s key, and reveals the reasons', () => {
    expect(verify(bundle)).toEqual(allHold)
    expect(verify(bundle, kept)).toEqual(allHold)
    expect(bundle.revealed.map(({ document }) => document).join()).toContain('Looks right.')
  })

  test('is verified by the reader that docs/evidence.md has, and not after a change', async () => {
    const { fences } = await readDocument('docs/evidence.md')
    const reader = fences.find(({ language }) => language === 'js')?.text ?? ''
    const folder = newFolder('countersign reader ')
    const vkey = formatVerifierKey(auditDesk.signer.key)
    const read = (text: string): string => {
      const [program, file] = [join(folder, 'read.mjs'), join(folder, 'bundle.json')]
      writeFileSync(program, reader)
      writeFileSync(file, text)
      const { stdout, stderr } = spawnSync(process.execPath, [program, file, vkey], {
        encoding: 'utf8',
      })
      return stdout + stderr
    }
    const text = JSON.stringify(bundle)
    expect(read(text)).toMatch(/^\d+ events of \d+, \d+ statements\n$/)
    expect(read(text.replace('Looks right.', 'Looks wrong.'))).toContain('the hash of a text')
    expect(read(text.replace('request.opened', 'request.0pened'))).toContain('the proof of event')
    const [first] = bundle.events
    for (const place of [(first?.index ?? 0) + 2 ** 30, -1, 0.5]) {
      const events = [{ ...first, index: place }, ...bundle.events.slice(1)]
      expect(read(JSON.stringify({ ...bundle, events }))).toContain('the place of event')
    }
    const keys = bundle.checkpoint
    expect(read(JSON.stringify({ ...bundle, keys }))).toContain('the heading of the keys')
    const [statement] = bundle.statements
    const forged = (statement?.signature ?? '').replace(/^./, (one) => (one === 'A' ? 'B' : 'A'))
    expect(read(text.replace(statement?.signature ?? '', forged))).toContain('the signature of a')
  })

  test('is not proved to continue a checkpoint without a consistency proof from it', () => {
    const { consistency: _, ...without } = bundle
    expect(verify(without, kept)).toEqual({ ...allHold, freshness: 'unknown' })
  })

  test('is refused with another log’s key', () => {
    const verdicts = verifyBundle(
      bundle,
      noteKey('countersign/other', generateKeyPairSync('ed25519').publicKey),
      null,
    )
    expect(outcomes(verdicts)).toMatchObject({ authenticity: 'fails' })
  })

  test('fails in integrity when one byte of an event differs', () => {
    const [first, ...others] = bundle.events
    if (first === undefined) throw new Error('no events')
    const changed = { ...first, event: first.event.replace('policy', 'polizy') }
    expect(verify({ ...bundle, events: [changed, ...others] })).toMatchObject({
      integrity: 'fails',
    })
  })

  test('fails in integrity when other words are revealed than were committed to', () => {
    const revealed = bundle.revealed.map((one) => ({
      ...one,
      document: one.document.replace('right', 'wrong'),
    }))
    expect(verify({ ...bundle, revealed })).toEqual({ ...allHold, integrity: 'fails' })
  })

  test('fails in completeness when an event of the request is left out, and in authenticity without its permit', () => {
    const decided = bundle.events.findIndex(({ event }) => event.includes('"decision.recorded"'))
    const events = bundle.events.filter((_, index) => index !== decided)
    expect(verify({ ...bundle, events })).toMatchObject({ completeness: 'fails' })
    const statements = bundle.statements.filter(({ kind }) => kind !== 'permit')
    expect(verify({ ...bundle, statements })).toEqual({ ...allHold, authenticity: 'fails' })
  })

  test('does not vouch for the people behind a request whose run’s start is left out', () => {
    const events = bundle.events.filter(({ event }) => !event.includes('"type":"run.started"'))
    expect(verify({ ...bundle, events })).toMatchObject({
      authorisation: 'unknown',
      completeness: 'unknown',
    })
  })

  test('is recorded as an event, and is refused to people who may not read the trail', async () => {
    const { desk, requestId } = auditDesk
    const events = await rowsOf(
      desk.database.db,
      'audit_event',
      { type: 'audit.exported' },
      'document',
    )
    expect(events.map(({ document }) => document).join()).toContain(requestId)
    const selection = { request: requestId, keysNote: '', keyReadsAudit: false }
    const refused = exportBundle(desk.api, desk.people.ada.caller, selection)
    expect((await refusal(refused)).code).toBe('forbidden')
  })
})

describe('the cosignatures of witnesses', () => {
  const witness = noteSigner('witness.example', 'cosignature')
  const stranger = noteSigner('stranger.example', 'cosignature')
  const by = (...signers: readonly NoteSigner[]) => ({
    keys: signers.map(({ key }) => key),
    count: signers.length,
  })
  const freshness = (verdicts: readonly Verdict[]) =>
    verdicts.find(({ name }) => name === 'freshness')?.outcome

  test('are part of a bundle and a full export, and are verified offline with the keys of the witnesses', async () => {
    const { desk, signer } = auditDesk
    const { db } = desk.database
    const size = await cosignNewest(db, witness)
    // Exporting is an event that no witness has seen yet.
    const one = await exported()
    expect(one.witnessed?.map(({ from }) => from)).toEqual([size])
    const files = await exportOf(db, signer, desk.api.verifier)
    for (const judge of [
      (of: WitnessQuorum) => freshness(verifyBundle(one, signer.key, null, of)),
      (of: WitnessQuorum) => freshness(verifyLog(files, signer.key, null, of)),
    ]) {
      expect(judge(by(witness))).toBe('holds')
      expect(judge({ ...by(witness, stranger), count: 1 })).toBe('holds')
      expect(judge(by(witness, stranger))).toBe('fails')
      expect(judge(by(noteSigner('witness.example', 'cosignature')))).toBe('fails')
    }
    expect(verify(one)).toEqual(allHold)
    const [last] = one.witnessed ?? []
    const unproven = [{ from: size, checkpoint: last?.checkpoint ?? '', proof: [] }]
    const without = { ...one, witnessed: unproven }
    expect(freshness(verifyBundle(without, signer.key, null, by(witness)))).toBe('fails')
  })

  test('are part of the newest checkpoint itself once the witnesses have seen it', async () => {
    const { desk, signer } = auditDesk
    const { db } = desk.database
    await coverAudit(db)
    await cosignNewest(db, witness)
    const { note } = await readCheckpoint(desk.api)
    expect(cosignedAt(parseNote(note), witness.key)).toBeGreaterThan(0)
    expect(openCheckpoint(note, signer.key).size).toBeGreaterThan(0)
  })
})
