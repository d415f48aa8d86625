import { describe, expect, test } from 'vitest'
import { OpenAnswers } from './open-answers.ts'

// Rules: security.md 37
describe('answers that are held open', () => {
  test('are limited for each holder, and each holder has a limit of its own', () => {
    const open = new OpenAnswers()
    const over = { what: 'streams of a key', makeRoom: null }
    const done = open.hold('a', 2, over)
    open.hold('a', 2, over)
    expect(() => open.hold('a', 2, over)).toThrow('At most 2 streams of a key')
    open.hold('b', 2, over)
    done()
    done()
    open.hold('a', 2, over)
    expect(() => open.hold('a', 2, over)).toThrow('At most 2')
  })

  test('end for a new one, the oldest first, if their client connects again by itself', () => {
    const open = new OpenAnswers()
    const ended: number[] = []
    const over = [0, 1, 2, 3].map((at) =>
      open.hold('a', 2, { what: 'streams', makeRoom: () => ended.push(at) }),
    )
    expect(ended).toEqual([0, 1])
    for (const done of over) done()
    expect(open.count('a')).toBe(0)
  })
})
