import { expect, test } from 'vitest'
import { withPreset } from './reason-presets.ts'

test('a preset begins a reason, takes the place of another one, and keeps what was typed', () => {
  expect(withPreset('wrong file', '')).toBe('wrong file')
  expect(withPreset('too wide', 'wrong file')).toBe('too wide')
  expect(withPreset('do it differently: …', 'too wide')).toBe('do it differently: ')
  expect(withPreset('do it differently: …', 'use yarn')).toBe('do it differently: use yarn')
  expect(withPreset('not now', 'do it differently: use yarn')).toBe('not now: use yarn')
  expect(withPreset('not now', 'wrong filesystem')).toBe('not now: wrong filesystem')
})
