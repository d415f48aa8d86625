import { expect, test } from 'vitest'
import { browserCommand } from './open-browser.ts'

test('a browser is opened only where somebody sits in front of a display', () => {
  expect(browserCommand({ DISPLAY: ':0' }, 'linux', true)).toBe('xdg-open')
  expect(browserCommand({}, 'darwin', true)).toBe('open')
  expect(browserCommand({ WSL_DISTRO_NAME: 'Ubuntu' }, 'linux', true)).toBe('explorer.exe')
})

test.each([
  ['no display', {}, true],
  ['CI', { DISPLAY: ':0', CI: 'true' }, true],
  ['no terminal', { DISPLAY: ':0' }, false],
])('none is opened with %s', (_, environment, isTerminal) => {
  expect(browserCommand(environment, 'linux', isTerminal)).toBeNull()
})
