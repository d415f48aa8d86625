import { expect, test } from 'vitest'
import { builtInTool, isBuiltInTool, isCommandTool } from './built-in-tools.ts'
import { effectSentence } from '../text/effect-sentence.ts'

test('only declared names are names of built-in tools', () => {
  expect(['shell', 'write_file'].every(isBuiltInTool)).toBe(true)
  const others = ['deploy', 'Shell', 'mcp_', 'mcp__wiki__edit', '__proto__', 'constructor', '']
  expect(others.some(isBuiltInTool)).toBe(false)
  expect(others.map(builtInTool)).toEqual(others.map(() => undefined))
  expect(['exec', 'shell', 'write_file', 'toString'].filter(isCommandTool)).toEqual([
    'exec',
    'shell',
  ])
})

test.each([
  ['tool_call', 'write_file', 'Write a.md'],
  ['tool_call', 'search_files', 'Call search_files'],
  ['tool_call', 'shell', 'Run a command'],
  ['tool_call', 'notify', 'Call notify'],
  ['question', 'ask_person', 'A question for a person'],
  ['external', 'write_file', 'Call write_file'],
  ['external', 'ask_person', 'Call ask_person'],
  ['external', 'exec', 'Run a command'],
])('outside of its page a %s of %s is “%s”', (kind, tool, sentence) => {
  expect(effectSentence({ kind, tool, title: 'Write a.md' })).toBe(sentence)
})
