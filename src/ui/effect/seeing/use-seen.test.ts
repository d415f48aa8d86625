import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inNextFrame, notInNextFrame } from './use-seen.ts'

const frames: (() => void)[] = []
const errors: unknown[] = []
beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw))
  vi.stubGlobal('reportError', (error: unknown) => errors.push(error))
})
afterEach(() => vi.unstubAllGlobals())

/** Draws one frame; returns how many functions it ran. */
function drawFrame(): number {
  const functions = frames.splice(0)
  for (const draw of functions) draw()
  return functions.length
}

test('functions run once, together, in the next frame, except one that was taken back', () => {
  const ran: string[] = []
  const [first, second, gone] = ['first', 'second', 'gone'].map((name) => () => ran.push(name))
  for (const work of [first!, second!, gone!, first!]) inNextFrame(work)
  notInNextFrame(gone!)
  expect(ran).toEqual([])
  expect(drawFrame()).toBe(1)
  expect(ran).toEqual(['first', 'second'])
  expect(drawFrame()).toBe(0)
})

test('a function that throws keeps none of the others from running, and its error is reported', () => {
  const ran: string[] = []
  const error = new Error('no box')
  inNextFrame(() => ran.push('before'))
  inNextFrame(() => {
    throw error
  })
  inNextFrame(() => ran.push('after'))
  drawFrame()
  expect(ran).toEqual(['before', 'after'])
  expect(errors).toEqual([error])
})
