import { expect, test } from 'vitest'
import { compileGlob } from '#policy/globs/compile-glob.ts'
import { seededChoices } from '../../shell/seeded.ts'
import { cpuMsOf } from '../cpu-time.ts'
import { seedOfRun } from '../seed-of-run.ts'

const signs = [
  '*',
  '?',
  '**',
  '/',
  'a',
  'b',
  '[a-z]',
  '[!a]',
  '{a,b}',
  '{',
  '}',
  ',',
  '(',
  ')',
  '|',
  '+(',
  '*(',
  '@(',
  '!',
  '\\',
  '[',
  ']',
  '.',
  '{1..9}',
  'é',
  '😀',
]
const letters = ['a', 'b', '/', '.', 'aaaa', 'é', '😀', '(', '[']
const maxCharacters = 256

// Rules: security.md 27
test('of 5,000 random globs against random names none holds the event loop for 100 ms', () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const textOf = (parts: readonly string[], maxCharacters: number): string => {
    // Repeating a few pieces is what makes patterns explode.
    const few = Array.from({ length: 1 + choose.number(4) }, () => choose.one(parts))
    let text = ''
    while (text.length < maxCharacters && !choose.percent(1)) text += choose.one(few)
    return text.slice(0, maxCharacters)
  }
  for (let round = 0; round < 5000; round += 1) {
    const glob = textOf(signs, maxCharacters)
    const name = textOf(letters, 1024)
    const take = (): number =>
      cpuMsOf(() => {
        const compiled = compileGlob(glob, { byName: false })
        if (compiled.ok) compiled.matches(name)
      })
    // Looked at again when it was slow: what was compiled or collected meanwhile is not its own.
    const slow = take() >= 100 && Math.min(take(), take(), take()) >= 100
    expect(slow, `SEED=${seed}: ${JSON.stringify(glob)} against ${JSON.stringify(name)}`).toBe(
      false,
    )
  }
}, 240_000)
