import { expect, test } from 'vitest'
import { slashCommandOf } from './run-line.ts'

test.each([
  ['/cancel', { name: 'cancel', reason: '' }],
  ['/cancel wrong branch', { name: 'cancel', reason: 'wrong branch' }],
  ['/fork 3 leave it out', { name: 'fork', afterTurn: 3, text: 'leave it out' }],
  ['/fork 0', { name: 'fork', afterTurn: 0, text: '' }],
  ['/fork write 3 of them', { name: 'fork', afterTurn: null, text: 'write 3 of them' }],
  ['/fork 3rd time', { name: 'fork', afterTurn: null, text: '3rd time' }],
  ['/file my page.png', { name: 'file', path: 'my page.png' }],
  ["/file 'my page.png' ", { name: 'file', path: 'my page.png' }],
  [' /mode ', { name: 'mode' }],
])('%s is a command', (line, command) => {
  expect(slashCommandOf(line)).toEqual(command)
})

test.each(['/constructor', '/toString', '/forks', '/', 'cancel', '/approve 12'])(
  '%s is no command: it is not sent to the model either',
  (line) => {
    expect(slashCommandOf(line)).toBeNull()
  },
)
