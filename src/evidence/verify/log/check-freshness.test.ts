import { expect, test } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { treeRoot } from '../../merkle/tree-of-leaves.ts'
import { formatCheckpoint } from '../../note/checkpoint.ts'
import { cosign } from '../../note/cosignature.ts'
import { logKeysOf, openLogCheckpoint } from '../../note/log-keys.ts'
import { formatNote, parseNote, signText, type NoteSigner } from '../../note/signed-note.ts'
import { checkFreshness } from './check-freshness.ts'
import { Findings } from '../findings/finding.ts'

const log = noteSigner('countersign/log')
const witness = noteSigner('witness.example', 'cosignature')
const stranger = noteSigner('stranger.example', 'cosignature')
const origin = log.key.name
const text = formatCheckpoint({ origin, size: 7, root: treeRoot([]), extensions: [] })
const note = formatNote({ text, signatures: [signText(text, log)] })
const seconds = Date.parse('2026-03-01T12:00:00.000Z') / 1000
const cosigned = formatNote({
  text,
  signatures: [...parseNote(note).signatures, cosign(text, witness, seconds)],
})

function judge(since: string | null, by: NoteSigner): { outcome: string; notesText: string } {
  const findings = new Findings('freshness')
  const keys = logKeysOf(log.key, [])
  checkFreshness(findings, {
    checkpoint: openLogCheckpoint(note, keys),
    newest: null,
    keys,
    witnessed: { witnesses: { keys: [by.key], count: 1 }, notes: [note], beyond: () => null },
    since,
    continuesFrom: () => true,
  })
  const { outcome, notes, findings: found } = findings.verdict()
  return { outcome, notesText: [...notes, ...found.map(({ problem }) => problem)].join('\n') }
}

test('an earlier checkpoint counts with the cosignature of the required witness, and the note says when', () => {
  const { outcome, notesText } = judge(cosigned, witness)
  expect(outcome).toBe('holds')
  expect(notesText).toContain(
    'witness.example cosigned the checkpoint of 7 events at 2026-03-01T12:00:00.000Z',
  )
})

test('it fails without that cosignature, with another witness’s, and with one for another time', () => {
  expect(judge(note, witness)).toMatchObject({ outcome: 'fails' })
  expect(judge(cosigned, stranger).notesText).toContain('stranger.example did not cosign')
  const line = cosign(text, witness, seconds + 1)
  const own = Buffer.concat([
    cosign(text, witness, seconds).signature.subarray(0, 8),
    line.signature.subarray(8),
  ])
  const forged = formatNote({
    text,
    signatures: [...parseNote(note).signatures, { ...line, signature: own }],
  })
  expect(judge(forged, witness)).toMatchObject({ outcome: 'fails' })
  expect(judge(null, witness)).toMatchObject({ outcome: 'fails' })
})
