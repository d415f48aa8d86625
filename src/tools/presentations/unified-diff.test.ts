import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { difference } from './difference.ts'
import { unifiedDiff } from './unified-diff.ts'
import { applyEdits } from '../files/edit-file.ts'

const names = { before: 'a', after: 'a' }
const line = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '', '-', '+', '@@ -1 +1 @@', '\\ No newline', '--- x', '\r', ' '),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n')),
)
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, end]) => lines.join('\n') + (end && lines.length > 0 ? '\n' : ''))

describe('unifiedDiff', () => {
  it('turns the one text into the other, byte for byte, with exact counts', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff(names, before, after)
        const applied = applyPatch(before, diff.text, { autoConvertLineEndings: false })
        expect(applied).toBe(after)
        const body = diff.text.split('\n').slice(2, -1)
        expect(body.filter((entry) => entry.startsWith('+'))).toHaveLength(diff.added)
        expect(body.filter((entry) => entry.startsWith('-'))).toHaveLength(diff.removed)
      }),
      { numRuns: 2000 },
    )
  })

  it('has both sides of a difference in a bounded time, whatever the texts are', () => {
    const size = 20_000
    const texts: readonly (readonly [
      string,
      (index: number) => string,
      (index: number) => string,
    ])[] = [
      ['unlike', (index) => `a${index}`, (index) => `b${index}`],
      ['backwards', (index) => `${index}`, (index) => `${size - index}`],
      ['every second line', (index) => `${index}`, (index) => `${index % 2 ? index : `x${index}`}`],
      [
        'few kinds of lines',
        (index) => `${(index * 7919) % 7}`,
        (index) => `${(index * 104_729) % 5}`,
      ],
      ['moved blocks', (index) => `${index}`, (index) => `${(index + size / 2) % size}`],
    ]
    for (const [what, one, other] of texts) {
      const write = (line: (index: number) => string): string =>
        Array.from({ length: size }, (_, index) => `${line(index)}\n`).join('')
      const [before, after] = [write(one), write(other)]
      const diff = unifiedDiff(names, before, after)
      expect(applyPatch(before, diff.text, { autoConvertLineEndings: false }) === after, what).toBe(
        true,
      )
    }
  })

  it('is the same when the thread computes it', async () => {
    const before = Array.from({ length: 2000 }, (_, index) => `line ${index}\n`).join('')
    const after = before.replace('line 1000\n', 'changed\n')
    const signal = new AbortController().signal
    expect(await difference(names, before, after, signal)).toEqual(
      unifiedDiff(names, before, after),
    )
  })

  it('ends the thread when the call is cancelled', async () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join('')
    const controller = new AbortController()
    const running = difference(names, before, before.replaceAll('1', 'x'), controller.signal)
    controller.abort(new Error('cancelled'))
    await expect(running).rejects.toThrow('cancelled')
  })
})

describe('applyEdits', () => {
  it('puts the replacement, whatever it is, exactly in place of the unique text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string({ unit: 'binary' }),
        (before, after, replace) => {
          const find = '«unique»'
          const edited = applyEdits(`${before}${find}${after}`, [{ find, replace }])
          expect(edited).toBe(`${before}${replace}${after}`)
        },
      ),
    )
  })

  it('never edits a text in which the find does not occur exactly once', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b') }),
        fc.constantFrom('a', 'ab', 'aa'),
        (whole, find) => {
          let count = 0
          for (let at = whole.indexOf(find); at !== -1; at = whole.indexOf(find, at + 1)) count += 1
          let edited: string | null
          try {
            edited = applyEdits(whole, [{ find, replace: 'X' }])
          } catch {
            edited = null
          }
          expect(edited).toBe(count === 1 ? whole.split(find).join('X') : null)
        },
      ),
    )
  })
})
