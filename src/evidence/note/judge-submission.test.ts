import { describe, expect, it, test } from 'vitest'
import { fixedLog, noteSigner } from '#test/harness/evidence/fixed-log.ts'
import {
  cosignatureIn,
  formatAddCheckpoint,
  parseAddCheckpoint,
  parseWitnessSize,
} from './add-checkpoint.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { openCheckpoint } from './checkpoint.ts'
import { cosign } from './cosignature.ts'
import { judgeSubmission, type SubmissionAnswer } from './judge-submission.ts'
import { formatSignature, parseNote } from './signed-note.ts'

const log = fixedLog(noteSigner('log.example'))
const forked = fixedLog(log.signer, 'other')
const signer = noteSigner('witness.example', 'cosignature')
const keys = { keys: [{ key: log.signer.key, until: null }], unvouched: [] }
const atSeconds = 1_700_000_000

function judge(body: string, lastSize: number | null = 7): SubmissionAnswer {
  const last = lastSize === null ? null : openCheckpoint(log.note(lastSize), log.signer.key)
  return judgeSubmission(parseAddCheckpoint(body), { log: keys, last, signer, atSeconds })
}

describe('a witness answers a submission', () => {
  it('with its cosignature when the checkpoint continues its last one, or is its first', () => {
    for (const [body, last] of [
      [log.ask(7, 20), 7],
      [log.ask(7, 8), 7],
      [log.ask(0, 20), null],
      [log.ask(7, 7), 7],
    ] as const) {
      const answer = judge(body, last)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer))
      const { note } = parseAddCheckpoint(body)
      expect(cosignatureIn(answer.line, { note, key: signer.key }).atSeconds).toBe(atSeconds)
    }
  })

  it('and stores the note with only the log’s signature and its own', () => {
    const stranger = noteSigner('stranger.example')
    const note = log.note(20) + log.note(20, stranger).split('\n\n')[1]
    const { old, proof } = parseAddCheckpoint(log.ask(7, 20))
    const answer = judge(formatAddCheckpoint({ old, proof, note }))
    if (answer.status !== 200) throw new Error(JSON.stringify(answer))
    const names = parseNote(answer.note).signatures.map(({ name }) => name)
    expect(names).toEqual(['log.example', 'witness.example'])
  })

  it('404 for an unknown origin', () => {
    const other = fixedLog(noteSigner('other.example'))
    expect(judge(other.ask(7, 20))).toMatchObject({ status: 404 })
  })

  it('403 when no trusted key of the origin signed the checkpoint', () => {
    const impostor = fixedLog(noteSigner('log.example'))
    expect(judge(impostor.ask(7, 20))).toMatchObject({ status: 403 })
    const { old, proof, note } = parseAddCheckpoint(log.ask(7, 20))
    const changed = note.replace('\n20\n', '\n21\n')
    expect(judge(formatAddCheckpoint({ old, proof, note: changed }))).toMatchObject({ status: 403 })
  })

  it('400 when the old size is above the checkpoint, or the note is no checkpoint', () => {
    const note = log.note(5)
    expect(judge(formatAddCheckpoint({ old: 6, proof: [], note }))).toMatchObject({ status: 400 })
    for (const bad of ['', 'log.example\n', note.replace('\n5\n', '\n05\n'), `${note}\n`]) {
      expect(judge(formatAddCheckpoint({ old: 7, proof: [], note: bad }))).toMatchObject({
        status: 400,
      })
    }
  })

  it('409 with the size that it cosigned last when the old size is another', () => {
    expect(judge(log.ask(6, 20))).toEqual({ status: 409, size: 7, isForked: false })
    expect(judge(log.ask(0, 20))).toEqual({ status: 409, size: 7, isForked: false })
    expect(judge(log.ask(3, 5))).toEqual({ status: 409, size: 7, isForked: false })
    expect(judge(log.ask(7, 20), null)).toEqual({ status: 409, size: 0, isForked: false })
  })

  it('409 when the log signed another tree of the same size', () => {
    expect(judge(forked.ask(7, 7))).toEqual({ status: 409, size: 7, isForked: true })
  })

  it('422 when the proof does not show that the tree continues', () => {
    const { note, proof } = parseAddCheckpoint(log.ask(7, 20))
    for (const wrong of [
      [],
      proof.slice(1),
      proof.toReversed(),
      [...proof, ...proof.slice(0, 1)],
    ]) {
      expect(judge(formatAddCheckpoint({ old: 7, proof: wrong, note }))).toMatchObject({
        status: 422,
      })
    }
    expect(judge(forked.ask(7, 20))).toMatchObject({ status: 422 })
    const first = formatAddCheckpoint({ old: 0, proof, note })
    expect(judge(first, null)).toMatchObject({ status: 422 })
    const same = formatAddCheckpoint({ old: 7, proof, note: log.note(7) })
    expect(judge(same)).toMatchObject({ status: 422 })
  })
})

test('a body that is no submission is refused', () => {
  const body = log.ask(7, 20)
  const [first = '', hash = ''] = body.split('\n')
  for (const bad of [
    '',
    'old 7',
    body.replace(first, 'old 07'),
    body.replace(first, 'old -7'),
    body.replace(first, 'old  7'),
    body.replace(first, 'OLD 7'),
    body.replace(first, 'old 99999999999999999999'),
    body.replace(`${first}\n`, ''),
    body.replace(hash, hash.slice(4)),
    body.replace(hash, 'no hash'),
    body.replace(first, [first, ...Array<string>(64).fill(hash)].join('\n')),
  ]) {
    expect(() => parseAddCheckpoint(bad), bad.slice(0, 40)).toThrow(MalformedEvidence)
  }
  expect(parseAddCheckpoint(body).old).toBe(7)
})

test('a size in a 409 is one number and a line end', () => {
  expect(parseWitnessSize('812\n')).toBe(812)
  expect(parseWitnessSize('0\n')).toBe(0)
  for (const bad of ['', '812', '0812\n', '-1\n', '1\n2\n', '1e3\n', '99999999999999999999\n']) {
    expect(parseWitnessSize(bad), bad).toBeNull()
  }
})

describe('an answer', () => {
  const note = log.note(20)
  const { text } = parseNote(note)
  const own = formatSignature(cosign(text, signer, atSeconds))
  const read = (answer: string) => cosignatureIn(answer, { note, key: signer.key })

  it('has this witness’s cosignature, at any place among others', () => {
    const other = formatSignature(cosign(text, noteSigner('w.example', 'cosignature'), 5))
    expect(read(other + own + other)).toEqual({ line: own, atSeconds })
  })

  it('is refused without a cosignature of this tree and time, or with anything besides signatures', () => {
    const impostor = formatSignature(cosign(text, noteSigner('witness.example', 'cosignature'), 5))
    const elsewhere = formatSignature(cosign(parseNote(log.note(19)).text, signer, atSeconds))
    const forged = cosign(text, signer, atSeconds)
    const late = Buffer.from(forged.signature)
    late.writeUInt8(9, 7)
    const never = cosign(text, signer, 9e15)
    for (const bad of [
      '',
      'nothing',
      impostor,
      elsewhere,
      formatSignature({ ...forged, signature: late }),
      formatSignature(never),
      `more\n\n${own}`,
      `\n${own}`,
      own.trimEnd(),
    ]) {
      expect(() => read(bad), bad.slice(0, 60)).toThrow(MalformedEvidence)
    }
  })
})
