import { expect, test } from 'vitest'
import { Service } from '../service/service.ts'
import { requestWith } from '../text/request.fixture.ts'
import { showWhole } from './show-whole.ts'

async function linesOf(text: string): Promise<string[]> {
  const task = { text, by: null, at: '2026-01-01T00:00:00.000Z', later: 0 }
  const texts: string[] = []
  const service = new Service('http://127.0.0.1:9', {})
  await showWhole(service, requestWith({ risk: 'high', task }), (part) => void texts.push(part))
  return texts.join('\n').split('\n')
}

test('a long task is printed line by line, after the risk and what will happen', async () => {
  const task = Array.from({ length: 200 }, (_, line) => `part ${line + 1}`)
  const lines = await linesOf(task.join('\n'))
  const at = lines.indexOf('the whole task:')
  expect(lines.slice(at + 1, at + 201)).toEqual(task.map((line) => `│ ${line}`))
  expect(lines.findIndex((line) => line.startsWith('#12 HIGH RISK'))).toBe(2)
  const places = [lines.indexOf('│ hello'), at, lines.indexOf('input')]
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places).not.toContain(-1)
})

test('a short task is printed once', async () => {
  const lines = await linesOf('Write\nthe notes')
  expect(lines[0]).toContain('task  Write⏎the notes')
  expect(lines).not.toContain('the whole task:')
})
