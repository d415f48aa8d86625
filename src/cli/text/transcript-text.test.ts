import { expect, test } from 'vitest'
import type { Transcript } from '#api/schemas/runs/transcript.ts'
import { TranscriptPrinter } from './transcript-text.ts'
import { columnsOf } from './wrap.ts'

function linesAt(columns: number | null, command: string): string[] {
  const call = { callId: 'a', tool: 'shell', input: { command }, verdict: 'ask' }
  const item = { turn: 1, role: 'assistant', at: '2027-01-01T00:00:00.000Z', calls: [call] }
  const transcript = { items: [item] } as unknown as Transcript
  return new TranscriptPrinter(() => columns).next(transcript, new Map())
}

test('no row of a narrow terminal begins with a word of a call', () => {
  const command = `echo 日本語 ${'aaaa '.repeat(4)}edit_file done approved by Grace`
  const rows = linesAt(30, command)
  expect(rows.length).toBeGreaterThan(1)
  for (const row of rows) {
    expect(row).toMatch(/^ {2}[?↪] /)
    const columns = [...row].slice(4).reduce((sum, character) => sum + columnsOf(character), 4)
    expect(columns).toBeLessThan(31)
  }
  expect(rows.map((row) => row.slice(4)).join('')).toBe(`shell ${command}`)
})

test('a denied call names who denied it', () => {
  const call = {
    callId: 'a',
    tool: 'shell',
    input: { command: 'true' },
    verdict: 'ask',
    denial: { by: { id: 'g', name: 'Grace' }, at: '2027-01-01T00:00:00.000Z' },
    result: { type: 'denied', text: 'tool-output-denied: a person denied this call of shell.' },
  }
  const item = { turn: 1, role: 'assistant', at: '2027-01-01T00:00:00.000Z', calls: [call] }
  const printer = new TranscriptPrinter(() => null)
  expect(printer.next({ items: [item] } as unknown as Transcript, new Map())).toEqual([
    '  ? shell true',
    '    shell denied by Grace',
    '    │ A person denied this call of shell.',
  ])
})

test('a pipe gets a call in one line', () => {
  expect(linesAt(null, 'a '.repeat(60).trim())).toEqual([`  ? shell ${'a '.repeat(60).trim()}`])
})

test('a message that was typed here is not printed again; the same message from elsewhere is', () => {
  const printer = new TranscriptPrinter(() => null)
  const items: object[] = []
  const sentences = (text: string): string[] => {
    const at = `2027-01-01T00:00:0${items.length}.000Z`
    items.push({ turn: items.length + 1, role: 'user', at, text, author: { name: 'Ada' } })
    const lines = [1, 2].flatMap(() => printer.next({ items } as unknown as Transcript, new Map()))
    return lines.filter((line) => line.startsWith('│'))
  }
  expect(sentences('go on')).toEqual(['│ go on'])
  printer.leaveOut('go on')
  expect(sentences('go on')).toEqual([])
  expect(sentences('go on')).toEqual(['│ go on'])
})
