import { expect, test } from 'vitest'
import { taskText } from './task-text.ts'

test('text is the task as it is, an object has a line for each of its fields, titled for people', () => {
  expect(taskText('Write the notes\nof 1.2')).toBe('Write the notes\nof 1.2')
  const input = { version: '1.2', releaseDate: '2026-12-01', only_public: true, areas: ['a', 'b'] }
  expect(taskText(input)).toBe(
    'Version: 1.2\nRelease date: 2026-12-01\nOnly public: true\nAreas: a, b',
  )
  expect(taskText({ '': 'x', __proto__x: { deep: [1] } })).toBe(': x\nProto x: {"deep":[1]}')
})
