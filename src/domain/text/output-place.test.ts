import { describe, expect, test } from 'vitest'
import { endOfOutput, noOutput, placeBehind } from './output-place.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const wide = { bytes: 1000, lines: 1000 }

describe('a reader of a stream', () => {
  test('continues after each piece, and gets the number of bytes that are not stored in between', () => {
    const first = placeBehind(noOutput, { attempt: 1, start: 0, bytes: bytesOf('abc') })
    expect(first).toEqual({ place: { attempt: 1, offset: 3 }, missing: 0 })
    const next = { attempt: 1, start: 10, bytes: bytesOf('de') }
    expect(placeBehind(first?.place ?? noOutput, next)).toEqual({
      place: { attempt: 1, offset: 12 },
      missing: 7,
    })
  })

  test('begins again when the piece is of another attempt', () => {
    const piece = { attempt: 2, start: 3, bytes: bytesOf('x') }
    expect(placeBehind({ attempt: 1, offset: 3 }, piece)).toBeNull()
    expect(placeBehind(noOutput, { ...piece, start: 0 })?.missing).toBe(0)
  })
})

describe('the end of an output', () => {
  test('is all of a short output, with a byte order mark and bytes that are no text', () => {
    expect(endOfOutput(bytesOf('\uFEFFa\nb'), wide)).toEqual({ text: '\uFEFFa\nb', left: 0 })
    expect(endOfOutput(Uint8Array.of(0x61, 0xff, 0x62), wide).text).toBe('a\uFFFDb')
    expect(endOfOutput(new Uint8Array(), wide)).toEqual({ text: '', left: 0 })
  })

  test('has at most these lines and bytes, begins at the start of a line, and counts the bytes before it', () => {
    const bytes = bytesOf('one\ntwo\nthree\n')
    expect(endOfOutput(bytes, { bytes: 1000, lines: 2 })).toEqual({ text: 'two\nthree\n', left: 4 })
    expect(endOfOutput(bytes, { bytes: 8, lines: 1000 })).toEqual({ text: 'three\n', left: 8 })
    expect(endOfOutput(bytes, { bytes: 10, lines: 1000 })).toEqual({
      text: 'two\nthree\n',
      left: 4,
    })
    expect(endOfOutput(bytesOf('abcdef'), { bytes: 2, lines: 5 })).toEqual({ text: 'ef', left: 4 })
  })

  test('never begins or ends in the middle of a character', () => {
    const euros = bytesOf('€€€')
    expect(endOfOutput(euros, { bytes: 5, lines: 5 })).toEqual({ text: '€', left: 6 })
    expect(endOfOutput(euros.subarray(0, 8), wide).text).toBe('€€')
  })
})
