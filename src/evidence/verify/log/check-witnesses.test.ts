import { expect, test } from 'vitest'
import { fixedLog, noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { cosign } from '../../note/cosignature.ts'
import { logKeysOf } from '../../note/log-keys.ts'
import { formatSignature, parseNote, type NoteSigner } from '../../note/signed-note.ts'
import { Findings } from '../findings/finding.ts'
import { checkWitnesses, type WitnessedEvidence } from './check-witnesses.ts'

const log = fixedLog(noteSigner('log.example'))
const [one, two, three] = ['one', 'two', 'three'].map((name) =>
  noteSigner(name, 'cosignature'),
) as [NoteSigner, NoteSigner, NoteSigner]
const seconds = Date.parse('2026-03-01T12:00:00.000Z') / 1000

function cosigned(note: string, ...by: readonly NoteSigner[]): string {
  const { text } = parseNote(note)
  return note + by.map((signer) => formatSignature(cosign(text, signer, seconds))).join('')
}

function judge(
  notes: readonly string[],
  count: number,
  more: Partial<WitnessedEvidence> & { keys?: readonly NoteSigner[] } = {},
): { outcome: string; notesText: string } {
  const { keys = [one, two, three], ...rest } = more
  const findings = new Findings('freshness')
  checkWitnesses(findings, {
    witnesses: { keys: keys.map(({ key }) => key), count },
    since: null,
    notes,
    logKeys: logKeysOf(log.signer.key, []),
    isBeginning: () => true,
    beyond: () => null,
    ...rest,
  })
  const { outcome, notes: noteLines, findings: found } = findings.verdict()
  return { outcome, notesText: [...noteLines, ...found.map(({ problem }) => problem)].join('\n') }
}

test('the required number of witnesses must have cosigned; of each the largest checkpoint counts', () => {
  const notes = [log.note(30), cosigned(log.note(20), one), cosigned(log.note(10), one, two)]
  const two3 = judge(notes, 2)
  expect(two3.outcome).toBe('holds')
  expect(two3.notesText).toContain(
    'one cosigned the checkpoint of 20 events at 2026-03-01T12:00:00',
  )
  expect(two3.notesText).toContain('two cosigned the checkpoint of 10 events')
  expect(two3.notesText).toContain('three did not cosign the checkpoint')
  const all = judge(notes, 3)
  expect(all.outcome).toBe('fails')
  expect(all.notesText).toContain('it needs 3 witnesses, and has 2')
})

test('one witness counts once, whatever its names and however often it is required', () => {
  const alias = { ...one, key: { ...one.key, name: 'alias' } }
  const notes = [cosigned(log.note(20), one, alias)]
  expect(judge(notes, 2, { keys: [one, one, alias] }).outcome).toBe('fails')
  expect(judge(notes, 1, { keys: [one, alias] }).outcome).toBe('holds')
})

test('a tree without events that a witness should have seen is not enough', () => {
  const notes = [log.note(30), cosigned(log.note(20), one)]
  const beyond = (size: number) => (size < 25 ? 'it did not see event 24' : null)
  const judged = judge(notes, 1, { keys: [one], beyond })
  expect(judged.outcome).toBe('fails')
  expect(judged.notesText).toContain('cosigned the checkpoint of 20 events')
  expect(judged.notesText).toContain('it did not see event 24')
  expect(judge([cosigned(log.note(30), one)], 1, { keys: [one], beyond }).outcome).toBe('holds')
})

test('a cosignature does not count for another log, for a tree that this one does not continue, or if it does not verify', () => {
  const other = fixedLog(noteSigner('log.example'))
  const broken = cosigned(log.note(20), one).replace('\n20\n', '\n21\n')
  for (const [note, isBeginning] of [
    [cosigned(other.note(20), one), true],
    [cosigned(log.note(20), one), false],
    [broken, true],
    [cosigned(log.note(20), noteSigner('one', 'cosignature')), true],
  ] as const) {
    const judged = judge([note], 1, { keys: [one], isBeginning: () => isBeginning })
    expect(judged.outcome, note).toBe('fails')
  }
  // The note was changed: an older cosignature does not replace the broken one.
  const first = cosigned(log.note(10), one)
  expect(judge([broken, first], 1, { keys: [one] }).outcome).toBe('fails')
  expect(judge([log.note(20), first], 1, { keys: [one] }).outcome).toBe('holds')
})

test('a witness of the earlier checkpoint also counts for what that one continues', () => {
  const beyond = () => 'it did not see much'
  const since = cosigned(log.note(10), one)
  expect(judge([log.note(20)], 1, { keys: [one], since, beyond }).outcome).toBe('holds')
  const unsigned = judge([log.note(20)], 1, { keys: [one], since: log.note(10), beyond })
  expect(unsigned.outcome).toBe('fails')
  expect(unsigned.notesText).toContain('did not cosign the checkpoint that was kept')
})
