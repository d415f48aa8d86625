import { expect, test } from 'vitest'
import { workerShapeOf, workerShapes } from './worker-shape-of.ts'

test('a worker has the same shape each time, and the shapes are spread over names', () => {
  const names = Array.from({ length: 80 }, (_, at) => `worker-${at}`)
  const shapes = names.map(workerShapeOf)
  expect(names.map(workerShapeOf)).toEqual(shapes)
  expect(new Set(shapes)).toEqual(new Set(workerShapes))
  expect(workerShapeOf('')).toBe(workerShapes[0])
})
